package chaos

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
	"sett/internal/setttest/program"
)

// TestDiskThatFails has a file system fail under the server while clients report: an ext4 that refuses every write from
// then on, as after an error of the disk. The server must say that it is not ready and that clients come back, with
// Retry-After, and still show what it has. After a repair every accepted notice must be there.
func TestDiskThatFails(t *testing.T) {
	t.Parallel()
	disk := newDisk(t)
	s := rig.PrepareIn(t, filepath.Join(disk.mounted, "data"), "")
	l := load.New(s.APIKey)
	for range 2 {
		s.Restart(t)
		end := l.Begin(s.Base)
		l.Await(t, load.MostAnswers)
		if answer := rig.Get(t, s.Base+"/readyz"); answer.StatusCode != http.StatusOK {
			t.Errorf("before: /readyz answers %d", answer.StatusCode)
		}
		disk.fail(t)
		l.AwaitRefused(t, load.MostAnswers)
		end()
		answer := rig.Get(t, s.Base+"/readyz")
		for late := time.Now().Add(time.Minute); answer.StatusCode == http.StatusOK && time.Now().Before(late); { // it looks once a second
			answer = rig.Get(t, s.Base+"/readyz")
		}
		if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
			t.Errorf("/readyz answers %d, Retry-After %q; want 503 and a time", answer.StatusCode, answer.Header.Get("Retry-After"))
		}
		if answer := rig.Get(t, s.Base+"/healthz"); answer.StatusCode != http.StatusOK {
			t.Errorf("/healthz answers %d", answer.StatusCode)
		}
		if faults := s.Faults(s.Manage(t)); len(faults) == 0 {
			t.Error("no faults can be read while nothing can be written")
		}
		s.Kill()
		disk.repair(t)
	}
	s.Restart(t)
	found := load.Prove(t, s, l)
	s.Stop(t)
	t.Logf("the file system failed twice: %s", found)
}

// disk is an ext4 file system in a file.
type disk struct{ file, mounted string }

const diskBytes = 256 << 20

// newDisk makes a file system that is there until the test ends.
func newDisk(t testing.TB) *disk {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts file systems")
	}
	dir := t.TempDir()
	d := &disk{filepath.Join(dir, "disk"), filepath.Join(dir, "mounted")}
	rig.WriteFile(t, d.file, nil)
	if err := os.Truncate(d.file, diskBytes); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.mounted, 0o755); err != nil {
		t.Fatal(err)
	}
	rig.RunCommand(t, "mkfs.ext4", "-q", d.file)
	if out, err := program.Bounded("mount", "-o", "loop", d.file, d.mounted).CombinedOutput(); err != nil {
		t.Skipf("this machine mounts no file: %s", out)
	}
	t.Cleanup(func() { rig.RunCommand(t, "umount", d.mounted) })
	return d
}

// fail makes the file system refuse writes, as ext4 does after an error of its disk, also by who has files open.
func (d *disk) fail(t testing.TB) {
	t.Helper()
	rig.RunCommand(t, "mount", "-o", "remount,abort", d.mounted)
}

// repair checks the file system and mounts it again. No process may have files open in it.
func (d *disk) repair(t testing.TB) {
	t.Helper()
	rig.RunCommand(t, "umount", d.mounted)
	for late := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // until the kernel writes no more to the file
		if out, err := program.Bounded("losetup", "--associated", d.file).CombinedOutput(); err == nil && len(out) == 0 {
			break
		} else if time.Now().After(late) {
			t.Fatalf("the file system is still in use: %v: %s", err, out)
		}
	}
	out, err := program.Bounded("e2fsck", "-f", "-y", d.file).CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || failed.ExitCode() > 1) { // 1: repaired
		t.Fatalf("e2fsck: %v: %s", err, out)
	}
	rig.RunCommand(t, "mount", "-o", "loop", d.file, d.mounted)
}
