"""postgresql.jsonl and shell.jsonl: what a PostgreSQL server, a shell and programs of a shell say. Messages without frames, as a log handler or a cron job reports
them, and errors of a driver. Needs PostgreSQL's programs and a user postgres; started and stopped here."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from corpus import Book, event

BIN = next(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
CLASSES = {"23505": "UniqueViolation", "23503": "ForeignKeyViolation", "23502": "NotNullViolation", "42P01": "UndefinedTable", "42703": "UndefinedColumn", "42601": "SyntaxError",
           "22P02": "InvalidTextRepresentation", "22001": "StringDataRightTruncation", "22012": "DivisionByZero", "22003": "NumericValueOutOfRange", "57014": "QueryCanceled",
           "23514": "CheckViolation", "42883": "UndefinedFunction", "22007": "InvalidDatetimeFormat", "3D000": "InvalidCatalogName", "22008": "DatetimeFieldOverflow"}
TABLES = """CREATE TABLE customers (id int PRIMARY KEY, email text UNIQUE, name varchar(5) NOT NULL, born date);
CREATE TABLE orders (id int PRIMARY KEY, customer int REFERENCES customers, total int CHECK (total > 0), number text UNIQUE);
INSERT INTO customers VALUES (1, 'ann@example.org', 'ann'), (2, 'bo@example.net', 'bo'); INSERT INTO orders VALUES (1, 1, 5, 'A-1'), (2, 2, 5, 'A-2');"""


def postgresql():
    folder = tempfile.mkdtemp(prefix="corpus")
    shutil.chown(folder, "postgres")
    run = lambda *c: subprocess.run(["runuser", "-u", "postgres", "--", *map(str, c)], check=True, capture_output=True, cwd=folder)
    run(BIN / "initdb", "-D", folder + "/data", "-A", "trust")
    run(BIN / "pg_ctl", "-D", folder + "/data", "-o", f"-k {folder} -c listen_addresses=''", "-w", "-l", folder + "/log", "start")
    try:
        def query(sql, database="postgres"):
            done = subprocess.run(["psql", "-h", folder, "-U", "postgres", "-d", database, "-v", "VERBOSITY=verbose", "-c", sql], capture_output=True, text=True)
            text = re.sub(r"^LOCATION:.*\n?", "", done.stderr, flags=re.M).strip()
            level, code, message = re.search(r"(ERROR|FATAL):  (\w{5}): (.*)", text, re.S).groups() if re.search(r"ERROR:  \w{5}:", text) else ("FATAL", "", text.split("FATAL:  ")[-1])
            return level, code, message.replace(folder, "/var/run/postgresql")
        subprocess.run(["psql", "-q", "-h", folder, "-U", "postgres", "-d", "postgres", "-c", TABLES], check=True)
        book = Book("postgresql", "real")
        def ruby(sql):  # as Ruby's driver says it
            level, code, message = query(sql)
            return event("PG::" + CLASSES[code], f"ERROR:  {message}", platform="ruby", sdk="sentry.ruby")
        def python(sql):  # as psycopg says it
            level, code, message = query(sql)
            return event(CLASSES[code], message, platform="python", sdk="sentry.python")
        def java(sql):  # as the JDBC driver says it
            level, code, message = query(sql)
            return event("org.postgresql.util.PSQLException", f"ERROR: {message}".replace("\nDETAIL:  ", "\n  Detail: ").replace("\nHINT:  ", "\n  Hint: "), platform="java", sdk="sentry.java")
        def logged(sql, database="postgres"):  # as a line of the server's log that is sent on
            level, code, message = query(sql, database)
            return event("", f"{level}:  {message}", platform="other", sdk="sentry.python.logging")
        def add(id, cls, reason, *groups):
            for name, send in (("ruby", ruby), ("python", python), ("java", java), ("log", logged)):
                if name in MADE[id]:
                    book.add(f"postgresql-{id}-{name}", "postgresql", cls, reason, *[[send(sql) for sql in g] for g in groups])
        MADE = {"unique": ("ruby", "python", "log"), "foreign": ("java", "log"), "null": ("python",), "missing": ("ruby", "log"), "text": ("java", "python"), "range": ("log",), "zero": ("log", "java"),
                "codes": ("java",), "check": ("ruby",), "syntax": ("log",), "date": ("python",)}
        customer = "INSERT INTO customers VALUES (9, '%s', 'x')"
        add("unique", "codes in message", "Two constraints: the quoted name is the news, the key in the detail is a customer's.",
            [customer % "ann@example.org", customer % "bo@example.net"], ["INSERT INTO orders VALUES (9, 1, 5, 'A-1')", "INSERT INTO orders VALUES (8, 1, 5, 'A-2')"])
        add("foreign", "codes in message", "A foreign key that is missing, and one that is still used.",
            ["INSERT INTO orders VALUES (7, 55, 1, 'x')", "INSERT INTO orders VALUES (7, 4711, 1, 'y')"], ["DELETE FROM customers WHERE id = 1", "DELETE FROM customers WHERE id = 2"])
        add("null", "codes in message", "Columns that must not be null; the failing row is in the detail.",
            ["INSERT INTO customers VALUES (7, 'x', NULL)", "INSERT INTO customers VALUES (8, 'y', NULL)"], ["INSERT INTO orders VALUES (NULL, 1)", "INSERT INTO orders VALUES (NULL, 2)"])
        add("missing", "codes in message", "A table and another table, which were not migrated; the position in the statement differs.",
            ["SELECT * FROM invoices", "SELECT   id FROM invoices"], ["SELECT * FROM receipts", "SELECT   id FROM receipts"])
        add("text", "ids in message", "What a customer typed is no number.", ["SELECT 'x'::int", "SELECT 'twelve'::int", "SELECT 'SKU-17'::int"], ["SELECT 'x'::uuid", "SELECT '8c1f7e52-07f4'::uuid"])
        add("range", "words in message", "A value that is too long for a type; a number that is too large.", ["INSERT INTO customers VALUES (7, 'x', 'too long a name')"], ["SELECT 99999999999::int", "SELECT 2147483648::int"])
        add("zero", "codes in message", "Division by zero, and a function that is not there.", ["SELECT 1/0"], ["SELECT rate(1)", "SELECT rate(2)"])
        add("codes", "codes in message", "One class for all errors of the driver; the text says which.", ["SELECT 1/0"], ["SELECT * FROM invoices"], [customer % "ann@example.org", customer % "bo@example.net"])
        add("check", "codes in message", "A check of a total, with the failing row in the detail.", ["INSERT INTO orders VALUES (7, 1, -5, 'z')", "INSERT INTO orders VALUES (6, 2, 0, 'q')"], ["INSERT INTO orders VALUES (7, 55, 1, 'x')"])
        add("syntax", "words in message", "A statement that is cut off near what a customer typed, and one at the end.", ["SELECT * FROM customers WHERE name = 'O'Neil'", "SELECT * FROM customers WHERE name = 'D'Arc'"], ["SELECT * FROM"])
        add("date", "ids in message", "A date that a customer typed.", ["SELECT 'tomorow'::date", "SELECT 'next week'::date"], ["SELECT 'x'::timestamptz"])
        book.add("postgresql-database", "postgresql", "codes in message", "A database that is not there, by its name.", [logged("SELECT 1", "kiosk")], [logged("SELECT 1", "reports")])
        book.write()
    finally:
        run(BIN / "pg_ctl", "-D", folder + "/data", "stop", "-m", "immediate")
        shutil.rmtree(folder)


def shell():
    book = Book("shell", "real", platform="other", sdk="sentry-cli")
    def said(script, *shells):
        out = []
        for sh in shells or ("bash",):
            done = subprocess.run([sh, "-c", script, "/srv/kiosk/bin/backup.sh"], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
            out.append(done.stderr.strip() or f"exit status {done.returncode}")
        return out
    def add(id, cls, reason, *groups):
        book.add("shell-" + id, "shell", cls, reason, *[[event("", text, release="1.0") for script in g for text in said(script)] for g in groups])
    add("missing", "codes in message", "Commands that are not installed.", ["pg_dumpp kiosk"], ["resticc backup"])
    add("lines", "line shift", "The script got two more lines.", ["pg_dumpp kiosk", "\n\npg_dumpp kiosk"], ["resticc backup", "\n\nresticc backup"])
    add("files", "ids in message", "A file that is named by the day or by the process.", ["cat /tmp/backup-2026-11-27.sql", "cat /tmp/backup-2026-11-28.sql"], ["rm /tmp/lock.17", "rm /tmp/lock.4711"])
    add("space", "codes in message", "What the system says of one file: no such file, a directory.", ["cat /nowhere/rates.csv"], ["cat /usr"])
    add("status", "codes in message", "Exit status 137 is a kill for lack of memory, 124 a timeout, 1 a failure.", ["exit 137"], ["exit 124"], ["exit 1"])
    add("unbound", "codes in message", "Variables that are not set.", ["set -u; echo $DATABASE"], ["set -u; echo $BUCKET"])
    add("numbers", "ids in message", "A number that is none.", ["[ x -gt 1 ]", "[ 1,5 -gt 1 ]"], ["cat /usr"])
    add("tar", "ids in message", "tar names what it could not read.", ["tar cf /dev/null /nowhere/uploads/8c1f7e52", "tar cf /dev/null /nowhere/uploads/17"], ["tar xf /dev/null/x"])
    add("python", "words in message", "Programs that a script runs have their last line reported.", ["python3 -c 'int(\"x\")' 2>&1 | tail -1 >&2", "python3 -c 'int(\"1,5\")' 2>&1 | tail -1 >&2"], ["python3 -c 'import nowhere' 2>&1 | tail -1 >&2"], ["python3 -c 'import requestz' 2>&1 | tail -1 >&2"])
    add("killed", "ids in message", "Segmentation fault and Killed, with the number of the process.", ["bash -c 'kill -SEGV $$'; true", "echo; bash -c 'kill -SEGV $$'; true"], ["bash -c 'kill -ABRT $$'; true"])
    add("permissions", "codes in message", "A read-only place and a missing one.", ["echo x > /proc/version"], ["echo x > /nowhere/lock"])
    book.write()


postgresql()
shell()
