package deploy

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestNewerBinaryBesideAServer starts a newer sett, whose schema has one more migration, on the directory of a server that
// records notices. It must be refused and change nothing. Once the server has stopped, the newer one copies the
// database, changes the schema and has every notice; the older one is then refused in its turn.
func TestNewerBinaryBesideAServer(t *testing.T) {
	t.Parallel()
	newer := filepath.Join(t.TempDir(), "sett")
	rig.Variant{"internal/store/schema/9999_newer.sql": "-- +goose Up\nCREATE TABLE newer (id bigint PRIMARY KEY);\n"}.Build(t, newer)
	s := rig.Prepare(t, "")
	s.Restart(t)
	l := load.New(s.APIKey)
	end := l.Begin(s.Base)
	l.Await(t, load.MostAnswers)
	end()
	taken := "another sett serves the data directory " + s.Data
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"migrate"}} {
		if out, status := rig.RunSett(newer, append(command, "--data", s.Data)...); status != 1 || !strings.Contains(out, taken) {
			t.Errorf("beside a server, %v ended with %d: %q, want 1 and %q", command, status, out, taken)
		}
	}
	end = l.Begin(s.Base)
	l.Await(t, load.MostAnswers)
	end()
	if copies := copiesOf(t, s); len(copies) > 0 {
		t.Errorf("beside a server the database was copied: %q", copies)
	}
	s.Stop(t)
	s.Restart(t) // the schema is still the one it knows
	s.Stop(t)

	if out, status := rig.RunSett(newer, "migrate", "--data", s.Data); status != 0 || !strings.Contains(out, "to 9999") || !strings.Contains(out, s.Data) {
		t.Errorf("migrate ended with %d: %q, want the new version and the name of the copy", status, out)
	}
	if copies := copiesOf(t, s); len(copies) != 1 {
		t.Errorf("the copies are %q, want one", copies)
	}
	if out, status := rig.RunSett(rig.Binary, "serve", "--listen", "127.0.0.1:0", "--data", s.Data); status != 1 || !strings.Contains(out, "newer") {
		t.Errorf("the older sett ended with %d: %q, want 1 and what is newer", status, out)
	}
	s.Process = rig.Begin(t, exec.Command(newer, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json"}, s.Flags...)...))
	s.Base = s.Await(t)
	t.Log(load.Prove(t, s, l))
	s.Stop(t)
}

// copiesOf are the copies that were made of a server's database before its schema changed.
func copiesOf(t testing.TB, s *rig.Server) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Data, "sett.db.schema-*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
