package deploy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig"
	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/program"
)

// earlier is a database that an earlier version of sett filled; see testdata/upgrades/make.py.
type earlier struct {
	file        string // its name up to the engine: "testdata/upgrades/13"
	engine      string // "sqlite" or "postgres"
	Commit      string
	Made        time.Time
	Credentials rig.Credentials
	Files       map[string][]byte // of the data directory
	Listed      json.RawMessage   // what the API listed, by path
}

// earlierAddress is where earlier versions served, which is in the URLs that they listed.
const earlierAddress = "http://127.0.0.1:18999"

// listing is how the names of files end that say what the API listed.
const listing = ".json.gz"

// TestUpgrades starts sett on databases of all schemas since 0.9.0, the first version, whose tables all migrations since then find filled. It must show what
// they showed, store and count what is reported then, and make a backup: that has exactly the tables and indexes of the present schema.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/upgrades/*" + listing)
	if err != nil || len(files) < 2 {
		t.Fatalf("%d databases of earlier versions, %v", len(files), err)
	}
	binary := rig.WrongClock(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), listing), func(t *testing.T) {
			t.Parallel()
			upgrade(t, binary, readEarlier(t, file))
		})
	}
}

// readEarlier reads what is known of a database from a file such as "testdata/upgrades/13.sqlite.json.gz".
func readEarlier(t testing.TB, file string) (e earlier) {
	t.Helper()
	if err := json.Unmarshal(decompressed(t, file), &e); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	name := strings.TrimSuffix(file, listing)
	e.engine = strings.TrimPrefix(filepath.Ext(name), ".")
	e.file = strings.TrimSuffix(name, "."+e.engine)
	return e
}

func upgrade(t *testing.T, binary string, e earlier) {
	s := &rig.Server{Credentials: e.Credentials, Data: t.TempDir()}
	s.Storage = []string{"--data", s.Data}
	if e.engine == "postgres" {
		s.Storage = append(s.Storage, "--database", e.inPostgres(t))
	} else {
		rig.WriteFile(t, filepath.Join(s.Data, "sett.db"), decompressed(t, e.file+".db.gz"))
	}
	for name, content := range e.Files {
		rig.WriteFile(t, filepath.Join(s.Data, name), content)
	}
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--resolver", "127.0.0.1:9"}, s.Storage...)
	clock := filepath.Join(t.TempDir(), "clock")
	rig.SetClock(t, clock, int(time.Until(e.Made.Add(time.Minute))/time.Second)) // retention would delete the events
	s.Process = rig.Begin(t, exec.Command(binary, args...), "CLOCK_FILE="+clock)
	s.Base = s.Await(t)
	m := s.Manage(t)
	var listed map[string][]map[string]any
	if err := json.Unmarshal(bytes.ReplaceAll(e.Listed, []byte(earlierAddress), []byte(s.Base)), &listed); err != nil {
		t.Fatal(err)
	}
	for path, want := range listed {
		wantListed(t, path, want, listedNow(m, path))
	}
	wantCounted(t, s, m)
	backup := filepath.Join(t.TempDir(), "sett.backup")
	for _, command := range [][]string{append([]string{"backup", backup}, s.Storage...), {"backup", "--verify", backup}} {
		if out, status := rig.RunSett(binary, command...); status != 0 {
			t.Errorf("%q ended with %d: %s", command, status, out)
		}
	}
	s.Stop(t)
}

func decompressed(t testing.TB, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// inPostgres returns the address of a database with the content of the earlier one.
func (e earlier) inPostgres(t testing.TB) (dsn string) {
	t.Helper()
	dsn = pgcluster.Postgres(t)
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/psql")
	if path, lookErr := exec.LookPath("psql"); lookErr == nil {
		found = append(found, path)
	}
	if err != nil || len(found) == 0 {
		t.Fatal("psql is missing; install the client programs of PostgreSQL")
	}
	cmd := program.Bounded(found[0], "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", dsn)
	cmd.Stdin = bytes.NewReader(decompressed(t, e.file+".sql.gz"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	return dsn
}

// listedNow returns all that a path lists.
func listedNow(m rig.Manager, path string) (all []map[string]any) {
	m.T.Helper()
	var page struct {
		Results []map[string]any
		Links   struct{ Next string }
	}
	body := m.Do(http.MethodGet, path, nil, http.StatusOK)
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		body = fmt.Appendf(nil, `{"results": %s}`, body)
	}
	if err := json.Unmarshal(body, &page); err != nil {
		m.T.Fatalf("%s: %v", path, err)
	}
	return page.Results
}

// wantListed fails the test unless all that was listed is, with the same fields. New fields are no matter.
func wantListed(t testing.TB, path string, want, got []map[string]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s lists %d, want %d", path, len(got), len(want))
	}
	for _, w := range want {
		at := slices.IndexFunc(got, func(g map[string]any) bool { return g["id"] == w["id"] })
		if at < 0 {
			t.Errorf("%s lacks %v", path, w["id"])
			continue
		}
		for field, value := range w {
			if events, ok := value.([]any); ok && field == "events" {
				value = withNewEvents(events)
			}
			if diff := cmp.Diff(value, knownIn(value, got[at][field])); diff != "" && field != "live_locations" { // those that respond just now
				t.Errorf("%s, %s of %v (-before +after):\n%s", path, field, w["id"], diff)
			}
		}
	}
}

// knownIn returns a value without the fields of objects in it that an earlier version did not have.
func knownIn(earlier, now any) any {
	switch was := earlier.(type) {
	case map[string]any:
		if is, ok := now.(map[string]any); ok {
			known := map[string]any{}
			for field, value := range is {
				if before, had := was[field]; had {
					known[field] = knownIn(before, value)
				}
			}
			return known
		}
	case []any:
		if is, ok := now.([]any); ok && len(is) == len(was) {
			known := make([]any, len(is))
			for i := range is {
				known[i] = knownIn(was[i], is[i])
			}
			return known
		}
	}
	return now
}

// withNewEvents adds the events that came after an earlier version: channels get them which are notified of what is like them.
func withNewEvents(events []any) []any {
	if at := slices.Index(events, any("check_in_missing")); at >= 0 && !slices.Contains(events, any("check_in_failed")) {
		events = slices.Insert(slices.Clone(events), at+1, any("check_in_failed"))
	}
	if at := slices.Index(events, any("check_in_reporting")); at >= 0 && slices.Contains(events, any("down")) && !slices.Contains(events, any("alarm_alert")) {
		events = slices.Insert(slices.Clone(events), at+1, any("alarm_alert"), any("alarm_ok"))
	}
	at := slices.Index(events, any("cert_will_expire"))
	if at < 0 || !slices.Contains(events, any("down")) || slices.Contains(events, any("slow")) {
		return events
	}
	return slices.Insert(slices.Clone(events), at, any("slow"), any("fast"))
}

// wantCounted reports one more event of an error that was there, and fails the test unless it is counted there.
func wantCounted(t testing.TB, s *rig.Server, m rig.Manager) {
	t.Helper()
	type counts = []struct {
		ID           int64
		NoticesCount int `json:"notices_count"`
	}
	var before, after struct{ Results counts }
	m.Get(s.Project()+"/faults?order=recent&q=class:%22Shop::Error0%22+environment:production", &before)
	if len(before.Results) != 1 {
		t.Fatalf("%d errors of class Shop::Error0, want 1", len(before.Results))
	}
	const body = `{"error": {"class": "Shop::Error0", "message": "once more", "backtrace": [{"file": "[PROJECT_ROOT]/app/step0.rb", "number": "10", "method": "run"},
		{"file": "[GEM_ROOT]/gems/rack/lib/rack.rb", "number": "7", "method": "call"}]}, "request": {"component": "orders", "action": "step0"},
		"server": {"project_root": "/srv/shop", "environment_name": "production"}}`
	if status := rig.Send(http.DefaultClient, http.MethodPost, s.Base+"/v1/notices", body, func(r *http.Request) { r.Header.Set("X-API-Key", s.APIKey) }); status != http.StatusCreated {
		t.Fatalf("a notice is answered with %d", status)
	}
	rig.Await(t, "the event is counted with its error", func() bool {
		m.Get(s.Project()+"/faults?order=recent&q=class:%22Shop::Error0%22+environment:production", &after)
		return len(after.Results) == 1 && after.Results[0].NoticesCount == before.Results[0].NoticesCount+1
	})
}
