package e2e

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"sett/internal/setttest/program"
)

// someRoom is by how many bytes the server's files may still grow before the disk is full.
const someRoom = 64 << 10

// TestFullDisk lets no file of the server grow, while clients report, as on a disk without room. The server must ask them
// to retry until there is room again; whatever was accepted must be stored, exactly once, also when the server is
// stopped or killed while the disk is full.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := prepare(t, "")
	l := newLoad(s.APIKey)
	for _, end := range []func(){func() { s.stop(t) }, func() { s.kill() }} {
		s.restart(t)
		endLoad := l.begin(s.base)
		l.await(t, mostAnswers)
		s.limitFiles(t, largest(t, s.data)+someRoom)
		l.awaitRefused(t, mostAnswers)
		if faults := s.faults(s.manage(t)); len(faults) == 0 {
			t.Error("no faults can be read while the disk is full")
		}
		s.limitFiles(t, noLimit)
		l.await(t, mostAnswers) // without a restart
		s.limitFiles(t, largest(t, s.data)+someRoom)
		l.awaitRefused(t, mostAnswers)
		endLoad()
		end()
	}
	s.restart(t)
	found := s.prove(t, l)
	s.stop(t)
	t.Logf("the disk was full 4 times: %s", found)
}

const noLimit = -1

// limitFiles lets no file of the process grow over so many bytes (RLIMIT_FSIZE), from now on.
func (p *process) limitFiles(t testing.TB, bytes int64) {
	t.Helper()
	limit := "unlimited"
	if bytes != noLimit {
		limit = strconv.FormatInt(bytes, 10)
	}
	soft := "--fsize=" + limit + ":" // the hard limit stays, so that it can be lifted again
	if out, err := program.Bounded(prlimit(t), "--pid", strconv.Itoa(p.cmd.Process.Pid), soft).CombinedOutput(); err != nil {
		t.Fatalf("prlimit: %v: %s", err, out)
	}
}

// prlimit returns where the command is that sets limits of processes.
func prlimit(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("prlimit")
	if err != nil {
		t.Fatal("prlimit is missing, which is for Linux alone; install it: apt-get install util-linux")
	}
	return path
}

// largest returns the size of the largest file of a directory, in bytes.
func largest(t testing.TB, dir string) (size int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		size = max(size, info.Size())
	}
	return size
}
