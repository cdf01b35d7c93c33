package db

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The system reports a failure to one of several syncs that run together. None of them may be called a success.
func TestSyncsThatRunTogetherFailTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	begun, together, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	l := &logFile{path: path, syncFile: func(*os.File) error {
		if calls.Add(1) > 1 {
			close(together)
			return nil
		}
		close(begun)
		<-release
		return syscall.EIO
	}}
	ended := make(chan error, 2)
	go func() { ended <- l.sync() }()
	<-begun
	go func() { ended <- l.sync() }()
	select {
	case <-together:
	case <-time.After(50 * time.Millisecond): // the second one waits for the first
	}
	close(release)
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("a sync beside one that failed succeeded")
		}
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
}

// The log has its size before anything is written to it, and SQLite reads what is in it after a crash.
func TestRoomIsReservedInTheLog(t *testing.T) {
	t.Parallel()
	dir, crashed := t.TempDir(), t.TempDir()
	d, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.RecordAlone(t.Context()); err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		info, err := os.Stat(d.Path() + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if got := size(); got != reservedLog {
		t.Errorf("the log has %d bytes, want %d", got, reservedLog)
	}
	err = d.InTx(t.Context(), "write", func(tx *Tx) error {
		_, err := tx.ExecContext(t.Context(), "CREATE TABLE kept (n)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := size(); got != reservedLog {
		t.Errorf("after a commit the log has %d bytes, want %d", got, reservedLog)
	}
	for _, ending := range []string{"", "-wal"} {
		content, err := os.ReadFile(d.Path() + ending)
		if err == nil {
			err = os.WriteFile(filepath.Join(crashed, fileName+ending), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	again, err := Open(t.Context(), Options{Dir: crashed})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Read.ExecContext(t.Context(), "SELECT n FROM kept"); err != nil {
		t.Error(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
