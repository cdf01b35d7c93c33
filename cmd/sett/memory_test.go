package main

import (
	"bytes"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// mostIdle is how much memory of its own, in KiB, a server on an empty database may have once it is ready. Pages of the program,
// which all processes share, come on top of it.
const mostIdle = 24 << 10

// A server that has nothing to do gives back what its start took.
func TestIdleServersAreSmall(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says what a process has")
	}
	ready := &watched{text: "sett is ready", seen: make(chan struct{})}
	server := process(t, os.Args[0], "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	server.Stderr = ready
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	<-ready.seen
	kib := anonymous(t, server.Process.Pid)
	for late := time.Now().Add(30 * time.Second); kib > mostIdle && time.Now().Before(late); kib = anonymous(t, server.Process.Pid) {
		time.Sleep(50 * time.Millisecond) // it releases memory once it is ready
	}
	if kib > mostIdle {
		t.Errorf("an idle server has %d KiB, want at most %d", kib, mostIdle)
	}
	_ = server.Process.Kill() // fails only when it has ended
	_ = server.Wait()
}

// anonymous returns how much memory of its own a process has, in KiB.
func anonymous(t *testing.T, pid int) (kib int) {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssAnon:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this kernel does not report the memory of a process by kind")
	}
	kib, _ = strconv.Atoi(string(found[1]))
	return kib
}

// watched closes seen when a text was written.
type watched struct {
	text string
	seen chan struct{}
	once sync.Once
	all  bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	if w.all.Write(p); strings.Contains(w.all.String(), w.text) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(p), nil
}
