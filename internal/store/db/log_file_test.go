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
