//go:build linux || darwin

package db

import "syscall"

// freeBytes returns how much room the disk of a directory has for this user.
func freeBytes(dir string) (n int64, known bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true //nolint:unconvert // their types differ by system
}
