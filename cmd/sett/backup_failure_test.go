//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// database is the file of the office's database.
func (o *office) database() string {
	dir, _ := strings.CutPrefix(o.environ[0], "SETT_DATA=")
	return filepath.Join(dir, "sett.db")
}

// failingBackup runs sett backup as a process of its own by a line of shell, and returns what it said.
func failingBackup(t *testing.T, o *office, shell string) (stderr string) {
	t.Helper()
	scratch := t.TempDir()
	command := process(t, "sh", "-c", shell)
	command.Env = append(append(command.Env, o.environ...), "SETT="+os.Args[0], "TMPDIR="+scratch)
	var said bytes.Buffer
	command.Stderr = &said
	err := command.Run()
	if err == nil || strings.Contains(said.String(), "panic") || strings.Contains(said.String(), "goroutine ") || !strings.HasPrefix(said.String(), "sett: ") {
		t.Errorf("%s: %v, said %q", shell, err, said.String())
	}
	if left, _ := os.ReadDir(scratch); len(left) > 0 {
		t.Errorf("%s: left are %v", shell, left)
	}
	return said.String()
}

// Whatever ends a backup is said in a sentence, leaves nothing behind, and keeps an earlier backup.
func TestBackupsThatFail(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	database := o.database()
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	o.do("backup", file)
	earlier, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	about, err := os.Stat(database)
	if err != nil {
		t.Fatal(err)
	}
	unchanged := func(what string) {
		t.Helper()
		now, err := os.ReadFile(file)
		if left := unfinished(dir); err != nil || !bytes.Equal(now, earlier) || len(left) > 0 {
			t.Errorf("%s: the earlier backup is another one (%v), left are %v", what, err, left)
		}
	}
	said := failingBackup(t, o, fmt.Sprintf(`ulimit -f %d; exec "$SETT" backup %s`, about.Size()/2/512, file)) // as on a full disk
	if unchanged("full"); !strings.Contains(said, "there is not enough disk space for the backup in "+dir) || !strings.Contains(said, "no earlier backup was changed") {
		t.Errorf("a full disk: %s", said)
	}
	said = failingBackup(t, o, fmt.Sprintf(`ulimit -f %d; exec "$SETT" export %s/b.zip`, about.Size()/2/512, dir))
	if unchanged("full, export"); !strings.Contains(said, "there is not enough disk space for the export in "+dir) {
		t.Errorf("an export to a full disk: %s", said)
	}
	if _, err := os.Lstat(dir + "/b.zip"); err == nil {
		t.Error("what is left of an export has its name")
	}
	said = failingBackup(t, o, fmt.Sprintf(`"$SETT" backup - | true; exec "$SETT" backup %s/none/a`, dir))
	if !strings.Contains(said, dir+"/none") {
		t.Errorf("a directory that is not there: %s", said)
	}
	if os.Getuid() != 0 {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		said = failingBackup(t, o, `exec "$SETT" backup `+file)
		_ = os.Chmod(dir, 0o700)
		if unchanged("unwritable"); !strings.Contains(said, "may not write to "+dir) {
			t.Errorf("a directory that is not writable: %s", said)
		}
	}
	damage(t, database)
	said = failingBackup(t, o, `exec "$SETT" backup `+file)
	if unchanged("damaged"); !strings.Contains(said, "the database is damaged and cannot be copied") {
		t.Errorf("a damaged database: %s", said)
	}
	said = failingBackup(t, o, `exec "$SETT" backup - >/dev/null`)
	if !strings.Contains(said, "the database is damaged") {
		t.Errorf("a damaged database, to standard output: %s", said)
	}
}

// damage spoils the end of a database, as a disk does.
func damage(t *testing.T, database string) {
	t.Helper()
	bytes, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(bytes) - 4*16384; i < len(bytes); i++ {
		bytes[i] ^= 0x55
	}
	if err := os.WriteFile(database, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Ctrl-C ends a backup in whatever it is doing, and leaves nothing.
func TestBackupsThatAreInterrupted(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	stopped := 0
	for range 20 {
		command := process(t, os.Args[0], "backup", file)
		command.Env = append(command.Env, o.environ...)
		var said bytes.Buffer
		command.Stderr = &said
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, func() bool { return len(unfinished(dir)) > 0 || exists(file) })
		_ = command.Process.Signal(syscall.SIGINT)
		err := command.Wait()
		if left := unfinished(dir); len(left) > 0 || strings.Contains(said.String(), "goroutine ") {
			t.Fatalf("%v, left are %v: %s", err, left, said.String())
		}
		if err != nil {
			if stopped++; !strings.Contains(said.String(), "stopped before the backup was complete") || exists(file) {
				t.Errorf("%v: %s", err, said.String())
			}
		}
		_ = os.Remove(file)
	}
	if stopped == 0 {
		t.Error("every backup was made before it was stopped")
	}
}
