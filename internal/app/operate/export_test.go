package operate_test

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/setttest/pgcluster"
	"sett/internal/store"
	"sett/internal/store/db"
)

func demoOptions(dir string) app.DemoOptions {
	return app.DemoOptions{Seed: 1, Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Data: dir, Short: true}
}

// demoAt serves the demo in a directory, whose clock stands still.
func demoAt(t *testing.T, dir string) *app.Demo {
	t.Helper()
	d := must[*app.Demo](t)(app.NewDemo(t.Context(), app.Config{Listen: "127.0.0.1:0"}, demoOptions(dir), slog.New(slog.DiscardHandler)))
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	return d
}

// madeDemo returns the files of a demo that was made once in this process, by name.
var madeDemo = sync.OnceValues(func() (files map[string][]byte, err error) {
	dir, err := os.MkdirTemp("", "sett-made-demo-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d, err := app.NewDemo(context.Background(), app.Config{Listen: "127.0.0.1:0"}, demoOptions(dir), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	if err := d.Stop(context.Background()); err != nil {
		return nil, err
	}
	if err := thinOut(dir); err != nil {
		return nil, err
	}
	files = map[string][]byte{}
	for _, name := range []string{"sett.db", "secret.key", "demo.json"} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
})

// thinOut removes most single checks of sites, which are most rows of a demo.
func thinOut(dir string) (err error) {
	s, err := store.Open(context.Background(), db.Options{Dir: dir, Found: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.InTx(context.Background(), "thin out a demo", func(t *db.Tx) error {
		_, err := t.Exec(context.Background(), `DELETE FROM uptime_checks WHERE site_id > 1`)
		return err
	})
}

// copyDemo makes a directory with that demo.
func copyDemo(t *testing.T, dir string) {
	t.Helper()
	files := must[map[string][]byte](t)(madeDemo())
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// apart are pages about what stays with the server of an export, and those that change when they are read.
var apart = regexp.MustCompile(`/(deliveries|audit|notified|activity|backup|tokens|usage|people)|^/(demo|me|docs|assets|sign|operator|api|admin)|/edit$|\.(css|js|png|svg|ico)|format=`)

// kept are parts of pages about the server that shows them: what its operator sees, who checks its sites, ids of events in
// links, of which one part says who received the event, colours of code, for which a page has little time, and values that the newest events have, which are of those that one read finds.
var kept = regexp.MustCompile(`[=.][0-9]{19}| This server checks no sites at the moment\.|<ul>(<li><a id="facet-.*)|</?i(?: class="h[a-z]+")?>|(notice=[0-9a-f-]{19})[0-9a-f-]{17}`)

var hrefs = regexp.MustCompile(`href="(/[^"#]*)`)

// readPages follows the links of a demo, in the order in which they are found, and returns at most so many pages by path.
func readPages(t *testing.T, d *app.Demo, most int) map[string]string {
	t.Helper()
	jar := must[*cookiejar.Jar](t)(cookiejar.New(nil))
	client := &http.Client{Jar: jar}
	get := func(address string) (status int, body string) {
		r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
		answer := must[*http.Response](t)(client.Do(r))
		defer answer.Body.Close()
		return answer.StatusCode, string(must[[]byte](t)(io.ReadAll(answer.Body)))
	}
	get(d.Link())
	pages, found := map[string]string{}, []string{"/", "/projects", "/faults"}
	for len(found) > 0 && len(pages) < most {
		path := found[0]
		found = found[1:]
		if _, read := pages[path]; read {
			continue
		}
		status, body := get(d.BaseURL() + path)
		pages[path] = kept.ReplaceAllString(fmt.Sprint(status, " ", strings.ReplaceAll(body, d.BaseURL(), "")), "$2")
		for _, link := range hrefs.FindAllStringSubmatch(body, -1) {
			if next := strings.ReplaceAll(link[1], "&amp;", "&"); !apart.MatchString(next) && !slices.Contains(found, next) {
				found = append(found, next)
			}
		}
	}
	return pages
}

// The demo that was exported and imported on each engine has the pages that it had.
func TestExportOfTheDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	copyDemo(t, in("demo"))
	d := demoAt(t, in("demo"))
	before := readPages(t, d, 150)
	if err := d.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	source := app.Config{Data: in("demo")}
	made := must[operate.MadeExport](t)(operate.WriteExport(t.Context(), source.Installation(), operate.Export{File: in("acme.zip"), Secrets: true}))
	if made.Bytes < 10_000 {
		t.Errorf("the export has %d bytes", made.Bytes)
	}
	for engine, to := range map[string]app.Config{"sqlite": {Data: in("sqlite")}, "postgres": {Database: pgcluster.Postgres(t), KeyFile: in("postgres.key")}} {
		t.Run(engine, func(t *testing.T) {
			report, err := operate.ImportExport(t.Context(), to.Installation(), in("acme.zip"), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range report.Came {
				if c.Made != c.Found {
					t.Errorf("of %d %s, %d came", c.Found, c.Noun, c.Made)
				}
			}
			must[accounts.User](t)(operate.SetOperator(t.Context(), to.Installation(), "ada@acme.test", true)) // as she was
			shown := to.Data
			if engine == "postgres" { // a demo is served from a file
				shown = in("shown")
				must[operate.MadeBackup](t)(operate.Backup(t.Context(), to.Installation(), in("backup.sett"), nil))
				must[operate.Restored](t)(operate.Restore(t.Context(), app.Config{Data: shown, KeyFile: to.KeyFile}.Installation(), in("backup.sett"), nil))
				if err := os.Link(in("postgres.key"), filepath.Join(shown, "secret.key")); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(shown, "demo.json"), must[[]byte](t)(os.ReadFile(in("demo/demo.json"))), 0o600); err != nil {
				t.Fatal(err)
			}
			d := demoAt(t, shown)
			after := readPages(t, d, 150)
			if err := d.Stop(context.Background()); err != nil {
				t.Fatal(err)
			}
			for path, page := range before {
				if diff := cmp.Diff(strings.Split(page, "\n"), strings.Split(after[path], "\n")); diff != "" {
					t.Fatalf("%s (-before +after):\n%.3000s", path, diff)
				}
			}
			must[operate.MadeExport](t)(operate.WriteExport(t.Context(), to.Installation(), operate.Export{File: in(engine + ".zip"), Secrets: true}))
			wantSameExport(t, in("acme.zip"), in(engine+".zip"))
			again := must[*move.Report](t)(operate.ImportExport(t.Context(), to.Installation(), in("acme.zip"), ""))
			for _, c := range again.Came {
				if c.Made != 0 {
					t.Errorf("%d %s came twice", c.Made, c.Noun)
				}
			}
			s := must[*store.Store](t)(store.Open(t.Context(), to.Installation().Options))
			defer s.Close()
			for project := range int64(5) {
				if err := s.DeleteProject(t.Context(), project+1, func() {}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := operate.ImportExport(t.Context(), to.Installation(), in("acme.zip"), ""); sett.CodeOf(err) != sett.Conflict {
				t.Errorf("projects that were deleted are said to be there: %v", err)
			}
		})
	}
}

// receivers are parts of the ids of events, which say who received them: another server, and then an import.
var receivers = regexp.MustCompile(`"(first|last)_id":[0-9]+`)

// wantSameExport compares the members of two exports of the same data.
func wantSameExport(t *testing.T, before, after string) {
	t.Helper()
	a, b := membersOf(t, before), membersOf(t, after)
	delete(a, "export.json") // it has the id and the time of the export
	delete(b, "export.json")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))); diff != "" {
		t.Fatalf("files of the exports (-before +after):\n%s", diff)
	}
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s (-before +after):\n%.3000s", name, cmp.Diff(strings.Split(a[name], "\n"), strings.Split(b[name], "\n")))
		}
	}
}

func membersOf(t *testing.T, file string) map[string]string {
	t.Helper()
	z := must[*zip.ReadCloser](t)(zip.OpenReader(file))
	defer z.Close()
	members := map[string]string{}
	for _, f := range z.File {
		r := must[io.ReadCloser](t)(f.Open())
		members[f.Name] = receivers.ReplaceAllString(string(must[[]byte](t)(io.ReadAll(r))), `"${1}_id":0`)
		_ = r.Close()
	}
	return members
}

// wholeRows are what must be 0 in a database in which all rows refer to rows of their own project, also where no constraint says so.
var wholeRows = map[string]string{
	"counts of other errors":    `SELECT count(*) FROM fault_counts c LEFT JOIN faults f ON f.id = c.fault_id AND f.project_id = c.project_id WHERE f.id IS NULL`,
	"keys of other errors":      `SELECT count(*) FROM fault_keys k LEFT JOIN faults f ON f.id = k.fault_id AND f.project_id = k.project_id WHERE f.id IS NULL`,
	"comments of other errors":  `SELECT count(*) FROM comments c LEFT JOIN faults f ON f.id = c.fault_id AND f.project_id = c.project_id WHERE f.id IS NULL`,
	"times of other errors":     `SELECT count(*) FROM fault_buckets b LEFT JOIN faults f ON f.id = b.fault_id WHERE f.id IS NULL`,
	"events of other errors":    `SELECT count(*) FROM notices n LEFT JOIN faults f ON f.id = n.fault_id WHERE f.id IS NULL`,
	"releases of other errors":  `SELECT count(*) FROM release_faults r LEFT JOIN faults f ON f.id = r.fault_id AND f.project_id = r.project_id WHERE f.id IS NULL`,
	"messages of other errors":  `SELECT count(*) FROM fault_messages m LEFT JOIN faults f ON f.id = m.part_id AND f.project_id = m.project_id WHERE f.id IS NULL`,
	"followers of other errors": `SELECT count(*) FROM fault_followers m LEFT JOIN faults f ON f.id = m.fault_id AND f.project_id = m.project_id WHERE f.id IS NULL`,
	"days of other sites":       `SELECT count(*) FROM uptime_days d LEFT JOIN sites s ON s.id = d.site_id WHERE s.id IS NULL`,
	"components of other pages": `SELECT count(*) FROM status_components c JOIN sites s ON s.id = c.site_id JOIN projects p ON p.id = s.project_id JOIN status_pages g ON g.number = c.page WHERE g.account_id <> p.account_id`,
}

// An export comes into a server that has its data already as data of its own, cut off as often as one likes.
func TestExportBesideItsOwnData(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			copyDemo(t, in("demo"))
			to := app.Config{Data: in("demo")}
			if engine == "postgres" {
				to = app.Config{Database: pgcluster.Postgres(t), KeyFile: in("demo/secret.key")}
				must[operate.MadeBackup](t)(operate.Backup(t.Context(), app.Config{Data: in("demo")}.Installation(), in("backup.sett"), nil))
				must[operate.Restored](t)(operate.Restore(t.Context(), to.Installation(), in("backup.sett"), nil))
			}
			made := must[operate.MadeExport](t)(operate.WriteExport(t.Context(), to.Installation(), operate.Export{File: in("acme.zip"), Secrets: true}))
			if _, err := operate.ImportExport(t.Context(), to.Installation(), in("acme.zip"), ""); sett.CodeOf(err) != sett.Conflict {
				t.Errorf("an account that is there came again: %v", err)
			}
			other := must[operate.AddedAccount](t)(operate.AddAccount(t.Context(), to.Installation(), operate.NewAccount{Name: "Other", Owner: "other@acme.test"}))
			came := map[string]int64{}
			for patience := 100 * time.Millisecond; ; patience += 300 * time.Millisecond {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				report, err := operate.ImportExport(ctx, to.Installation(), in("acme.zip"), other.AccountID)
				cancel()
				if report != nil {
					for _, c := range report.Came {
						came[c.Noun] += c.Made
					}
				}
				if err == nil {
					break
				}
				if ctx.Err() == nil {
					t.Fatal(err)
				}
			}
			for _, f := range made.Files {
				if f.Name != "accounts" && f.Name != "users" && f.Name != "memberships" && came[f.Name] > f.Records {
					t.Errorf("of %d %s, %d came", f.Records, f.Name, came[f.Name])
				}
			}
			s := must[*store.Store](t)(store.Open(t.Context(), to.Installation().Options))
			defer s.Close()
			for what, statement := range wholeRows {
				var n int64
				if err := s.Read.QueryRowContext(t.Context(), statement).Scan(&n); err != nil || n != 0 {
					t.Errorf("%s: %d (%v)", what, n, err)
				}
			}
			for _, table := range []string{"faults", "notices", "comments", "sites", "check_ins", "uptime_checks", "project_keys", "integrations", "status_pages", "status_subscribers", "named_buckets", "attachments"} {
				var n int64
				if err := s.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n%2 != 0 {
					t.Errorf("%s has %d rows, which is not twice as many as before (%v)", table, n, err)
				}
			}
			must[operate.MadeExport](t)(operate.WriteExport(t.Context(), to.Installation(), operate.Export{File: in("first.zip"), Account: made.Account, Secrets: true}))
			wantSameExport(t, in("acme.zip"), in("first.zip"))
		})
	}
}

// Files that are no exports, or of which something is wrong, are refused with a reason, and nothing of an error of another account is changed.
func TestStrangeExports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	copyDemo(t, in("demo"))
	source := app.Config{Data: in("demo")}
	must[operate.MadeExport](t)(operate.WriteExport(t.Context(), source.Installation(), operate.Export{File: in("shop.zip"), Project: 1}))
	if _, err := operate.WriteExport(t.Context(), source.Installation(), operate.Export{File: in("shop.zip"), Project: 1}); sett.CodeOf(err) != sett.Conflict {
		t.Errorf("a file was replaced: %v", err)
	}
	if _, err := operate.WriteExport(t.Context(), source.Installation(), operate.Export{File: in("none.zip"), Project: 99}); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("a project that is not there: %v", err)
	}
	whole := membersOf(t, in("shop.zip"))
	for name := range whole {
		if strings.Contains(whole[name], `"options":"{\"`) || strings.HasPrefix(name, "status_") || name == "accounts.jsonl" {
			t.Errorf("%s is in an export of a project without secrets", name)
		}
	}
	changed := func(name, from, to string) func(map[string]string) {
		return func(m map[string]string) {
			if !strings.Contains(m[name], from) {
				t.Errorf("%s has no %s", name, from)
			}
			m[name] = strings.Replace(m[name], from, to, 1)
		}
	}
	for what, c := range map[string]struct {
		change func(map[string]string)
		says   string
	}{
		"no header":             {func(m map[string]string) { delete(m, "export.json") }, "not an export"},
		"a newer form":          {changed("export.json", `"format": 1`, `"format": 7`), "newer"},
		"no JSON":               {changed("errors.jsonl", "{", "["), "errors.jsonl: line 1"},
		"a text for a number":   {changed("errors.jsonl", `"paused_until":0`, `"paused_until":"x"`), "must be an integer"},
		"an error of others":    {changed("comments.jsonl", `"fault_id":`, `"fault_id":9999`), "which the export does not have"},
		"an event of others":    {changed("events.jsonl", `"fault_id":`, `"fault_id":9999`), "which the export does not have"},
		"ids without end":       {changed("export.json", `"first_id": 1,`, `"first_id": -1,`), "the ids of"},
		"bytes that are none":   {changed("errors.jsonl", `"key":"`, `"key":"!`), "base64"},
		"the same record twice": {func(m map[string]string) { m["deploys.jsonl"] += m["deploys.jsonl"] }, "deploys.jsonl cannot be stored"},
	} {
		m := maps.Clone(whole)
		changed("export.json", `"id": "`, `"id": "`+strings.ReplaceAll(what, " ", "-"))(m) // each is an export of its own
		c.change(m)
		file := in(what + ".zip")
		f := must[*os.File](t)(os.Create(file))
		z := zip.NewWriter(f)
		for name, text := range m {
			_ = must[int](t)(must[io.Writer](t)(z.Create(name)).Write([]byte(text)))
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		_, err := operate.ImportExport(t.Context(), source.Installation(), file, "")
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
	}
	text := must[[]byte](t)(os.ReadFile(in("shop.zip")))
	if err := os.WriteFile(in("cut.zip"), text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := operate.ImportExport(t.Context(), source.Installation(), in("cut.zip"), ""); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("half a file: %v", err)
	}
}
