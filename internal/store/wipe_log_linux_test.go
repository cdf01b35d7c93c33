package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// While a checkpoint runs, SQLite does not empty its log, and says so in a result, not with an error. The wipe waits for it.
func TestWipeWaitsForACheckpoint(t *testing.T) {
	t.Parallel()
	dir := storetest.MigratedDir(t)
	s := storetest.OpenTest(t, db.Options{Dir: dir})
	if err := s.Sync(); err != nil { // makes the log
		t.Fatal(err)
	}
	shared, err := os.OpenFile(filepath.Join(dir, "sett.db-shm"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer shared.Close()
	const checkpointLock = 121 // sqlite.org/walformat.html: WAL_CKPT_LOCK, as a lock of an open file, which those of SQLite respect
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: checkpointLock, Len: 1}
	for unix.FcntlFlock(shared.Fd(), unix.F_OFD_SETLK, &lock) != nil { // a checkpoint runs
		time.Sleep(time.Millisecond)
	}
	wiped := make(chan error)
	go func() { wiped <- s.WipeOld(t.Context()) }()
	select {
	case err := <-wiped:
		t.Fatalf("the wipe ends while the log cannot be emptied: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	lock.Type = unix.F_UNLCK
	if err := unix.FcntlFlock(shared.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
		t.Fatal(err)
	}
	if err := <-wiped; err != nil {
		t.Error(err)
	}
	if left, err := s.LeftOver(t.Context()); left || err != nil {
		t.Errorf("after the wipe, old values are left: %v, %v", left, err)
	}
}
