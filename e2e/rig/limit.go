package rig

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"sett/internal/setttest/program"
)

// SomeRoom is by how many bytes the server's files may still grow before the disk is full.
const SomeRoom = 64 << 10

// NoLimit lifts a limit of files.
const NoLimit = -1

// LimitFiles lets no file of the process grow over so many bytes (RLIMIT_FSIZE), from now on.
func (p *Process) LimitFiles(t testing.TB, bytes int64) {
	t.Helper()
	limit := "unlimited"
	if bytes != NoLimit {
		limit = strconv.FormatInt(bytes, 10)
	}
	soft := "--fsize=" + limit + ":" // the hard limit stays, so that it can be lifted again
	if out, err := program.Bounded(Prlimit(t), "--pid", strconv.Itoa(p.Cmd.Process.Pid), soft).CombinedOutput(); err != nil {
		t.Fatalf("prlimit: %v: %s", err, out)
	}
}

// Prlimit returns where the command is that sets limits of processes.
func Prlimit(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("prlimit")
	if err != nil {
		t.Fatal("prlimit is missing, which is for Linux alone; install it: apt-get install util-linux")
	}
	return path
}

// Largest returns the size of the largest file of a directory, in bytes.
func Largest(t testing.TB, dir string) (size int64) {
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
