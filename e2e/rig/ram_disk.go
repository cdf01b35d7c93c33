package rig

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sett/internal/setttest/program"
)

// NewRAMDisk mounts a file system of so many megabytes on a directory, until the test ends.
func NewRAMDisk(t testing.TB, dir, megabytes string) {
	t.Helper()
	if out, err := program.Bounded("mount", "-t", "tmpfs", "-o", "mode=755,size="+megabytes+"m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("this machine mounts no file system: %s", out)
	}
	t.Cleanup(func() { RunCommand(t, "umount", dir) })
}

// ballast is the file that takes all room of a full disk.
func ballast(dir string) string { return filepath.Join(dir, "ballast") }

// FillDisk leaves no room on the disk of a directory.
func FillDisk(dir string) error {
	file, err := os.Create(ballast(dir))
	if err != nil {
		return err
	}
	defer file.Close()
	const page = 4 << 10
	for size, step := int64(0), int64(64<<20); step >= page; {
		if err := syscall.Fallocate(int(file.Fd()), 0, size, step); err == nil {
			size += step
		} else if errors.Is(err, syscall.ENOSPC) {
			step /= 2
		} else {
			return err
		}
	}
	return nil
}

// FreeDisk ends that.
func FreeDisk(dir string) error {
	if err := os.Remove(ballast(dir)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
