package e2e

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sett/internal/setttest/program"
)

// TestNewerBinaryBesideAServer starts a newer sett, whose schema has one more migration, on the directory of a server that
// records notices. It must be refused and change nothing. Once the server has stopped, the newer one copies the
// database, changes the schema and has every notice; the older one is then refused in its turn.
func TestNewerBinaryBesideAServer(t *testing.T) {
	t.Parallel()
	newer := variant{"internal/store/schema/9999_newer.sql": "-- +goose Up\nCREATE TABLE newer (id bigint PRIMARY KEY);\n"}.build(t)
	s := prepare(t, "")
	s.restart(t)
	l := newLoad(s.APIKey)
	end := l.begin(s.base)
	l.await(t, mostAnswers)
	end()
	taken := "another sett serves the data directory " + s.data
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"migrate"}} {
		if out, status := runSett(newer, append(command, "--data", s.data)...); status != 1 || !strings.Contains(out, taken) {
			t.Errorf("beside a server, %v ended with %d: %q, want 1 and %q", command, status, out, taken)
		}
	}
	end = l.begin(s.base)
	l.await(t, mostAnswers)
	end()
	if copies := copiesOf(t, s); len(copies) > 0 {
		t.Errorf("beside a server the database was copied: %q", copies)
	}
	s.stop(t)
	s.restart(t) // the schema is still the one it knows
	s.stop(t)

	if out, status := runSett(newer, "migrate", "--data", s.data); status != 0 || !strings.Contains(out, "to 9999") || !strings.Contains(out, s.data) {
		t.Errorf("migrate ended with %d: %q, want the new version and the name of the copy", status, out)
	}
	if copies := copiesOf(t, s); len(copies) != 1 {
		t.Errorf("the copies are %q, want one", copies)
	}
	if out, status := runSett(settBinary, "serve", "--listen", "127.0.0.1:0", "--data", s.data); status != 1 || !strings.Contains(out, "newer") {
		t.Errorf("the older sett ended with %d: %q, want 1 and what is newer", status, out)
	}
	s.process = begin(t, exec.Command(newer, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json"}, s.flags...)...))
	s.base = s.await(t)
	t.Log(s.prove(t, l))
	s.stop(t)
}

// runSett runs a command of a sett to its end.
func runSett(binary string, args ...string) (out string, status int) {
	cmd := program.Bounded(binary, args...)
	cmd.Env = environment()
	text, err := cmd.CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(text), failed.ExitCode()
	}
	if err != nil {
		return err.Error(), -1
	}
	return string(text), 0
}

// copiesOf are the copies that were made of a server's database before its schema changed.
func copiesOf(t testing.TB, s *server) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.data, "sett.db.schema-*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
