#!/usr/bin/env python3
"""Makes databases of earlier versions of sett, for TestUpgrades.

    go run ./internal/setttest/withpostgres e2e/deploy/testdata/upgrades/make.py

Run it at the top of the checkout. For each commit below it builds sett as it was, serves an empty database of each engine,
sends the requests of a small team, and writes to this directory: <schema>.db.gz, an SQLite file; <schema>.sql.gz, what
pg_dump prints; and <schema>.<engine>.json.gz, what the API of that version listed at the end.

    e2e/deploy/testdata/upgrades/make.py --programs DIR

builds the programs alone, as DIR/<schema>, for make bench-upgrades.
"""

import base64, glob, gzip, json, os, re, subprocess, sys, tempfile, time, urllib.error, urllib.request

# The last commit on main of each schema that people may have, since 0.9.0, the first version. Migrations before
# that were changed until then, 39 was until 40, and those between the last ones below were until the next of them.
COMMITS = ["da59d08a", "c6c61bfa", "68268a5f", "5e2eff08", "da962a23", "fa397d48", "96c60565", "96e3337b", "2d2623c9", "c2b71eec", "dd6ead4b", "47616822",
           "7606059b", "0f6fb771", "0c18b914", "047b36fc", "bedb215c", "9a81a139", "bc3fec83"]

HERE = os.path.dirname(os.path.abspath(__file__))
ADDRESS = "http://127.0.0.1:18999"
LISTED = ["/v2/projects", "/v2/projects/1/environments", "/v2/projects/1/faults", "/v2/projects/1/deploys", "/v2/projects/1/sites",
          "/v2/projects/1/check_ins", "/v2/teams", "/v2/projects/1/integrations"]


def request(method, path, body=None, **headers):
    """Sends a request and returns the status and the JSON of the response; a version that lacks the path answers 404."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(ADDRESS + path, data, headers, method=method), timeout=60) as response:
            text = response.read()
            return response.status, json.loads(text) if text.strip().startswith((b"{", b"[")) else None
    except urllib.error.HTTPError as e:
        return e.code, None


def notice(n):
    """Returns the n-th event: of one of seven errors, each with its users, hosts and revisions."""
    kind = n % 7
    return {
        "notifier": {"name": "make.py", "version": "1"},
        "error": {"class": f"Shop::Error{kind}", "message": f"order {n} failed in step {kind}", "tags": ["shop", f"step{kind}"],
                  "backtrace": [{"file": f"[PROJECT_ROOT]/app/step{kind}.rb", "number": str(10 + kind), "method": "run"},
                                {"file": "[GEM_ROOT]/gems/rack/lib/rack.rb", "number": "7", "method": "call"}]},
        "request": {"component": "orders", "action": f"step{kind}", "url": f"https://shop.example/orders/{n}",
                    "context": {"user_id": n % 13, "user_email": f"user{n % 13}@shop.example", "order": {"id": n, "items": [n, kind]}},
                    "params": {"id": n}, "cgi_data": {"HTTP_USER_AGENT": "curl/8.0", "REMOTE_ADDR": "192.0.2.7"}},
        "server": {"project_root": "/srv/shop", "environment_name": "production" if n % 3 else "staging", "hostname": f"web-{n % 2}",
                   "revision": f"{n // 100:07d}"},
    }


def fill(credentials):
    """Sends the requests of a team."""
    key = {"X_API_Key": credentials["api_key"]}
    basic = {"Authorization": "Basic " + base64.b64encode((credentials["auth_token"] + ":").encode()).decode()}
    account = credentials["account_id"]
    for n in range(300):
        status, _ = request("POST", "/v1/notices", notice(n), **key)
        assert status == 201, f"notice {n}: {status}"
    request("POST", "/v1/deploys", {"deploy": {"environment": "production", "revision": "0000002", "local_username": "ada", "repository": "https://git.example/shop"}}, **key)
    request("POST", "/v1/events", b'{"ts":"2026-11-20T10:00:00Z","event_type":"order","total":5}\n', **key)
    do = lambda method, path, body=None: request(method, path, body, **basic)
    _, faults = do("GET", "/v2/projects/1/faults?order=recent")
    ids = sorted(f["id"] for f in faults["results"])
    one = lambda n, rest="": f"/v2/projects/1/faults/{ids[n]}{rest}"
    for body in ("We look into it.", "Fixed with the next deploy."):
        do("POST", one(0, "/comments"), {"comment": {"body": body}})
    do("PUT", one(1), {"fault": {"resolved": True}})
    do("PUT", one(2), {"fault": {"ignored": True}})
    do("PUT", one(3), {"fault": {"assignee_id": credentials["user_id"]}})
    do("POST", one(4, "/pause"), {"time": "week"})
    do("POST", one(5, "/merge"), {"fault_ids": [ids[6]]})
    do("POST", "/v2/projects", {"project": {"name": "Warehouse", "resolve_errors_on_deploy": True}})
    do("POST", "/v2/projects/1/environments", {"environment": {"name": "qa", "notifications": False}})
    do("POST", "/v2/projects/1/sites", {"site": {"name": "Shop", "url": "https://shop.example/", "frequency": 5, "active": False}})
    do("POST", "/v2/projects/1/check_ins", {"check_in": {"name": "Backup", "schedule_type": "simple", "report_period": "1 day", "grace_period": "1 hour"}})
    do("POST", "/v2/projects/1/check_ins", {"check_in": {"name": "Report", "schedule_type": "cron", "cron_schedule": "0 3 * * *", "cron_timezone": "Berlin"}})
    _, check_ins = do("GET", "/v2/projects/1/check_ins")
    for c in (check_ins or {}).get("results", [])[:1]:
        do("GET", f"/v1/check_in/{c['id']}")
    do("POST", "/v2/teams", {"team": {"name": "Payments"}})
    do("POST", f"/v2/accounts/{account}/invitations", {"invitation": {"email": "grace@shop.example", "role": "Member"}})
    do("POST", f"/v2/accounts/{account}/status_pages", {"status_page": {"name": "Shop status"}})
    do("POST", "/v2/projects/1/integrations", {"integration": {"type": "WebHook", "options": {"url": "https://hooks.example/sett"}, "active": False}})
    do("POST", "/v2/projects/1/erasures", {"erasure": {"user": "user12@shop.example"}})
    for n in range(300, 330):
        assert request("POST", "/v1/notices", notice(n), **key)[0] == 201
    return basic


def listed(basic):
    """Returns what the version lists, by path: the results as they are."""
    got = {}
    for path in LISTED:
        status, body = request("GET", path, **basic)
        if status == 200:
            got[path] = body.get("results", body) if isinstance(body, dict) else body
    for fault in got["/v2/projects/1/faults"]:
        for rest in ("/notices", "/comments"):
            path = f"/v2/projects/1/faults/{fault['id']}{rest}"
            status, body = request("GET", path, **basic)
            if status == 200:
                got[path] = body["results"]
    return got


def build(commit, tree, directory):
    """Builds sett as it was, and returns the version of its schema and the program, which has its name."""
    run = lambda *args, **options: subprocess.run(args, check=True, **options)
    run("git", "worktree", "add", "--force", "--detach", tree, commit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    schema = max(int(re.match(r"\d+", os.path.basename(f))[0]) for f in glob.glob(f"{tree}/internal/**/[0-9][0-9][0-9][0-9]_*.sql", recursive=True))
    binary = os.path.join(directory, str(schema))
    run("go", "build", "-o", binary, "./cmd/sett", cwd=tree, env=os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-trimpath"})
    return schema, binary


def make(commit, tree):
    """Writes the files of a commit."""
    schema, binary = build(commit, tree, os.path.dirname(tree))
    server = os.environ["SETT_TEST_POSTGRES"]
    for engine in ("sqlite", "postgres"):
        data = f"{tree}/data-{engine}"
        flags = ["--data", data]
        if engine == "postgres":
            name = f"upgrade_{schema}"
            psql(server, f"CREATE DATABASE {name}")
            address = re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", server, count=1) if "://" in server else f"{server} dbname={name}"
            flags += ["--database", address]
        credentials = json.loads(subprocess.run([binary, "setup", "--json", *flags], check=True, capture_output=True, cwd=tree).stdout)
        serving = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:18999", *flags], cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            ready()
            basic = fill(credentials)
            time.sleep(8)  # what is done in the background is done
            expected = listed(basic)
        finally:
            serving.terminate()
            serving.wait(60)
        small = [f for f in glob.glob(f"{data}/*") if os.path.isfile(f) and ".db" not in f and os.path.getsize(f) < 4096]
        files = {os.path.basename(f): base64.b64encode(open(f, "rb").read()).decode() for f in small}  # such as the key of secrets
        made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        expected = {"commit": commit, "made": made, "credentials": credentials, "files": files, "listed": expected}
        keep(f"{schema}.{engine}.json.gz", json.dumps(expected, indent=1).encode())
        if engine == "sqlite":
            database = glob.glob(f"{data}/*.db")[0]
            for left in ("-wal", "-shm"):
                assert not os.path.exists(database + left) or os.path.getsize(database + left) == 0 or left == "-shm", left
            keep(f"{schema}.db.gz", open(database, "rb").read())
        else:
            keep(f"{schema}.sql.gz", subprocess.run([tool("pg_dump"), "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=50", address], check=True, capture_output=True).stdout)
    print(commit, schema, {p: len(v) for p, v in expected["listed"].items() if p in LISTED}, flush=True)


def ready():
    """Waits for the server."""
    for _ in range(200):
        try:
            if request("GET", "/readyz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit("the server did not become ready")


def tool(name):
    """Returns the path of a program of PostgreSQL."""
    return sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))[-1]


def psql(address, statement):
    subprocess.run([tool("psql"), "-q", address, "-c", statement], check=True)


def keep(name, content):
    with open(f"{HERE}/{name}", "wb") as f:
        f.write(gzip.compress(content, 9, mtime=0))


programs = os.path.abspath(sys.argv[2]) if sys.argv[1:2] == ["--programs"] else ""
for commit in COMMITS if programs else sys.argv[1:] or COMMITS:
    with tempfile.TemporaryDirectory() as directory:
        try:
            if programs:
                print(commit, *build(commit, directory + "/tree", programs), flush=True)
            else:
                make(commit, directory + "/tree")
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", directory + "/tree"], stderr=subprocess.DEVNULL)
