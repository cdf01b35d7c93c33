package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"net/url"
	"slices"
	"strings"

	"sett/internal/base/progress"
	"sett/internal/sett/accounts"
)

// processTables hold what running processes know about their own progress. They have no place in sums, and differ by engine.
var processTables = []string{"digests", "nodes"}

// valueKind is what a column holds, on both engines.
type valueKind int

const (
	intKind valueKind = iota
	boolKind
	floatKind
	textKind
	bytesKind
)

// kindOf returns the kind of a declared type.
func kindOf(declared string) (valueKind, error) {
	switch t := strings.ToLower(declared); {
	case strings.Contains(t, "int"):
		return intKind, nil
	case t == "boolean":
		return boolKind, nil
	case t == "double precision" || t == "real":
		return floatKind, nil
	case t == "text":
		return textKind, nil
	case t == "bytea":
		return bytesKind, nil
	}
	return 0, fmt.Errorf("columns of type %q cannot be copied", declared)
}

// tableColumn is a column of a table.
type tableColumn struct {
	name     string
	kind     valueKind
	identity bool // the engine assigns its values
}

// table is a table with its columns, sorted by name.
type table struct {
	name    string
	columns []tableColumn
}

func (t table) names() (names []string) {
	for _, c := range t.columns {
		names = append(names, quoteName(c.name))
	}
	return names
}

// quoteName makes an identifier of a name, which is from the schema.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

const sqliteColumns = `-- db.sqliteColumns
SELECT t.name, c.name, c.type, c.pk = 1 AND instr(t.sql, 'AUTOINCREMENT') > 0 FROM sqlite_schema t, pragma_table_info(t.name) c
WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.name <> 'goose_db_version' ORDER BY t.name, c.name`

const postgresColumns = `-- db.postgresColumns
SELECT c.table_name, c.column_name, c.data_type, c.is_identity = 'YES' FROM information_schema.columns c
JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
WHERE c.table_schema = current_schema() AND c.table_name <> 'goose_db_version' ORDER BY c.table_name COLLATE "C", c.column_name COLLATE "C"`

// listTables returns the tables of a database, by name.
func listTables(ctx context.Context, q Querier, d *dialect) (tables []table, err error) {
	statement := postgresColumns
	if d == sqliteDialect {
		statement = sqliteColumns
	}
	rows, err := q.QueryContext(ctx, statement)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var name, declared string
		var c tableColumn
		if err := rows.Scan(&name, &c.name, &declared, &c.identity); err != nil {
			return err
		}
		var err error
		if c.kind, err = kindOf(declared); err != nil {
			return fmt.Errorf("%s.%s: %w", name, c.name, err)
		}
		if n := len(tables); n == 0 || tables[n-1].name != name {
			tables = append(tables, table{name: name})
		}
		last := &tables[len(tables)-1]
		last.columns = append(last.columns, c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	return tables, nil
}

// eachValue calls f with the values of every row of a table, one row at a time. f must not keep them.
func (t table) eachValue(ctx context.Context, q Querier, f func([]any) error) error {
	return t.eachValueWhere(ctx, q, "", "", f)
}

// eachValueWhere is eachValue for the rows that a condition selects, in an order; "" for all of them, and for any.
func (t table) eachValueWhere(ctx context.Context, q Querier, condition, order string, f func([]any) error) error {
	statement := "SELECT " + strings.Join(t.names(), ", ") + " FROM " + quoteName(t.name)
	if condition != "" {
		statement += " WHERE " + condition
	}
	if order != "" {
		statement += " ORDER BY " + order
	}
	rows, err := q.QueryContext(ctx, statement)
	values, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range t.columns {
			var err error
			if values[i], err = c.kind.value(values[i]); err != nil {
				return fmt.Errorf("column %s: %w", c.name, err)
			}
		}
		return f(values)
	})
	if err != nil {
		return fmt.Errorf("read table %s: %w", t.name, err)
	}
	return nil
}

// value returns a value that an engine returned as the type of its kind; nil stays nil.
func (k valueKind) value(v any) (any, error) {
	switch have := v.(type) {
	case nil:
		return nil, nil
	case int64:
		switch k {
		case intKind:
			return have, nil
		case boolKind:
			return have != 0, nil
		case floatKind:
			return float64(have), nil
		}
	case bool:
		if k == boolKind {
			return have, nil
		}
	case float64:
		if k == floatKind {
			return have, nil
		}
	case string:
		if k == textKind {
			return have, nil
		}
		if k == bytesKind {
			return []byte(have), nil
		}
	case []byte:
		if k == bytesKind {
			return append([]byte{}, have...), nil // never nil, which would be written as NULL
		}
		if k == textKind {
			return string(have), nil
		}
	}
	return nil, fmt.Errorf("it holds a %T, which is of another type", v)
}

// summer adds up the rows of a table. The order of the rows does not matter.
type summer struct {
	rows int64
	sum  [4]uint64
	text []byte
	step *progress.Step
}

func (s *summer) add(values []any) {
	s.text = s.text[:0]
	for _, v := range values {
		s.text = appendValue(s.text, v)
	}
	digest := sha256.Sum256(s.text)
	carry := uint64(0)
	for i := range s.sum {
		s.sum[i], carry = bits.Add64(s.sum[i], binary.LittleEndian.Uint64(digest[8*i:]), carry)
	}
	s.rows++
	s.step.Add(1)
}

// appendValue appends a value so that no two different rows have the same text.
func appendValue(text []byte, v any) []byte {
	switch have := v.(type) {
	case nil:
		return append(text, 'n')
	case bool:
		if have {
			return append(text, 't')
		}
		return append(text, 'f')
	case int64:
		return binary.BigEndian.AppendUint64(append(text, 'i'), uint64(have))
	case float64:
		return binary.BigEndian.AppendUint64(append(text, 'd'), math.Float64bits(have))
	case string:
		return append(binary.AppendUvarint(append(text, 's'), uint64(len(have))), have...)
	case []byte:
		return append(binary.AppendUvarint(append(text, 'b'), uint64(len(have))), have...)
	}
	panic(fmt.Sprintf("store: a value of a row is a %T", v))
}

func (s *summer) of(t table) accounts.TableSum {
	var text [32]byte
	for i, part := range s.sum {
		binary.LittleEndian.PutUint64(text[8*i:], part)
	}
	return accounts.TableSum{Table: t.name, Rows: s.rows, Sum: hex.EncodeToString(text[:])}
}

// sumTables returns the sums of all tables but those of processes.
func sumTables(ctx context.Context, q Querier, d *dialect) (sums []accounts.TableSum, err error) {
	tables, err := listTables(ctx, q, d)
	if err != nil {
		return nil, err
	}
	step := progress.Begin(ctx, "checking the rows of the tables", progress.Rows, 0)
	defer step.End()
	for _, t := range tables {
		if slices.Contains(processTables, t.name) {
			continue
		}
		s := summer{step: step}
		if err := t.eachValue(ctx, q, func(values []any) error { s.add(values); return nil }); err != nil {
			return nil, err
		}
		sums = append(sums, s.of(t))
	}
	return sums, nil
}

// Sums returns the sum of every table of the database, by name, as of one moment.
func (d *DB) Sums(ctx context.Context) (sums []accounts.TableSum, err error) {
	err = d.still(ctx, func(q Querier) error {
		sums, err = sumTables(ctx, q, d.dialect)
		return err
	})
	return sums, err
}

// still runs f on a snapshot of the database, for as long as it takes.
func (d *DB) still(ctx context.Context, f func(Querier) error) error {
	pool := d.upkeep
	if d.SQLite() {
		pool = d.Read
	}
	t, err := pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("read all tables: %w", err)
	}
	defer t.Rollback() //nolint:errcheck // nothing was written
	if !d.SQLite() {
		if _, err := t.ExecContext(ctx, readTables); err != nil {
			return fmt.Errorf("read all tables: %w", err)
		}
	}
	return f(t)
}

// readTables lets PostgreSQL read tables from beginning to end; see writerSettings.
const readTables = `-- db.readTables
SET LOCAL enable_seqscan = on`

// OpenStill opens an SQLite file, of whatever program, that no process changes, and makes no file beside it. A log is read only from a copy, with
// which SQLite may do as it likes.
func OpenStill(file string, isCopy bool) (*sql.DB, error) {
	address := "file:" + (&url.URL{Path: file}).EscapedPath()
	if !isCopy {
		address += "?mode=ro&immutable=1"
	}
	return sql.Open("sqlite", address)
}

// SumsOf returns the sum of every table in an SQLite file that no process uses, without changing the file.
func SumsOf(ctx context.Context, file string) (sums []accounts.TableSum, err error) {
	db, err := OpenStill(file, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return sumTables(ctx, db, sqliteDialect)
}

// DiffSums returns the names of the tables whose sums differ, or that one list lacks.
func DiffSums(a, b []accounts.TableSum) (tables []string) {
	sums := map[string]accounts.TableSum{}
	for _, s := range a {
		sums[s.Table] = s
	}
	for _, s := range b {
		if sums[s.Table] != s {
			tables = append(tables, s.Table)
		}
		delete(sums, s.Table)
	}
	for name := range sums {
		tables = append(tables, name)
	}
	slices.Sort(tables)
	return tables
}
