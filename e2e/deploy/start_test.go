package deploy

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/program"
)

const (
	elsewhere = ", or choose another directory with --data (SETT_DATA)"
	unopened  = "cannot be opened for writing; make the directory and its files writable for the user that runs sett" + elsewhere
)

// serveCommand is "sett serve" with the flags, which is to be refused.
func serveCommand(flags ...string) *exec.Cmd {
	cmd := program.Bounded(rig.Binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Env = rig.Environment()
	return cmd
}

// refused runs a command that must end with status 1 and say why in one sentence, and nothing else.
func refused(t testing.TB, cmd *exec.Cmd, want string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 1 {
		t.Errorf("%s ended with %v, want status 1", cmd, err)
	}
	if diff := cmp.Diff("sett: "+want+"\n", string(out)); diff != "" {
		t.Errorf("%s (-want +printed):\n%s", cmd, diff)
	}
}

// unprivileged makes the command run as a user whom the permissions of files stop.
func unprivileged(cmd *exec.Cmd) *exec.Cmd {
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// permit sets the permissions of files, and gives the last of them back to the test when it ends.
func permit(t testing.TB, mode os.FileMode, files ...string) {
	t.Helper()
	for _, file := range files {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(files[len(files)-1], 0o700) }) // so that it can be removed
}

func TestStartWithoutPermission(t *testing.T) {
	t.Parallel()
	s := rig.Prepare(t, "")
	permit(t, 0o755, filepath.Dir(s.Data))
	permit(t, 0o444, filepath.Join(s.Data, "sett.db"))
	permit(t, 0o555, s.Data)
	refused(t, unprivileged(serveCommand("--data", s.Data)), "the database in the data directory "+s.Data+" "+unopened)

	below := filepath.Join(s.Data, "below")
	refused(t, unprivileged(serveCommand("--data", below)),
		"the data directory "+below+" cannot be created: permission denied; create it and make it writable for the user that runs sett"+elsewhere)
}

func TestStartWithoutRoom(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cmd := serveCommand("--data", data)
	cmd.Args = append([]string{"prlimit", "--fsize=65536"}, cmd.Args...) // bytes, which no schema fits in
	cmd.Path = rig.Prlimit(t)
	refused(t, cmd, "the disk with the data directory "+data+" is full or failing; free space on it or replace it"+elsewhere)
}

// The server copies the log into the database whenever the log cannot grow.
func TestStartWithLittleRoom(t *testing.T) {
	t.Parallel()
	s := rig.Prepare(t, "")
	room := rig.Largest(t, s.Data) + 3*rig.SomeRoom // less than the log grows to before it is copied
	cmd := serveCommand(append(slices.Clip(s.Flags), "--log-format", "json")...)
	cmd.Args = append([]string{"prlimit", "--fsize=" + strconv.FormatInt(room, 10)}, cmd.Args...)
	cmd.Path = rig.Prlimit(t)
	s.Process = rig.Begin(t, cmd)
	s.Base = s.Await(t)
	l := load.New(s.APIKey)
	end := l.Begin(s.Base)
	l.Await(t, load.MostAnswers)
	end()
	s.Stop(t)
	s.Restart(t)
	load.Prove(t, s, l)
	s.Stop(t)
}

func TestStartOnTheDatabaseOfANewerSett(t *testing.T) {
	t.Parallel()
	dsn := pgcluster.Postgres(t)
	storage := []string{"--data", t.TempDir(), "--database", dsn}
	rig.Setup(t, storage)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)`); err != nil {
		t.Fatal(err)
	}
	out, err := serveCommand(storage...).CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 1 {
		t.Errorf("sett serve ended with %v, want status 1", err)
	}
	for _, want := range []string{"newer", "999"} {
		if said := string(out); strings.Count(said, "\n") != 1 || !strings.Contains(said, want) {
			t.Errorf("sett serve printed %q, want one line with %q", said, want)
		}
	}
}
