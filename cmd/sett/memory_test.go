package main

import (
	"bytes"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// These are how much memory, in KiB, a server on an empty database may have once it is ready: of its own, and in pages of the program. The system
// maps many pages around each that is used, how many depends on it; without unmapProgram it is 29 to 40 MiB. Its own are 22 MiB at first, and 25 to
// 27 once each of its loops has run, which a busy machine may reach before this looks.
const (
	mostIdle    = 28 << 10
	mostProgram = 26 << 10
)

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
	var own, program int
	for late := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) { // it releases memory once it is ready
		own, program = resident(t, server.Process.Pid, "Anon"), resident(t, server.Process.Pid, "File")
		if own <= mostIdle && program <= mostProgram || time.Now().After(late) {
			break
		}
	}
	if own > mostIdle || program > mostProgram {
		t.Errorf("an idle server has %d KiB and %d KiB of the program, want at most %d and %d", own, program, mostIdle, mostProgram)
	}
	_ = server.Process.Kill() // fails only when it has ended
	_ = server.Wait()
}

// A server collects garbage sooner than Go does by itself, unless its operator sets when.
func TestGarbageIsCollectedSooner(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "100")
	collectSooner()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("with GOGC=100, it is %d", got)
	}
	t.Setenv("GOGC", "")
	collectSooner()
	if got := debug.SetGCPercent(100); got != garbage {
		t.Errorf("without GOGC, it is %d, want %d", got, garbage)
	}
}

// resident returns how much memory of a kind a process has, in KiB: Anon is its own, File that of files.
func resident(t *testing.T, pid int, kind string) (kib int) {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`Rss` + kind + `:\s+(\d+) kB`).FindSubmatch(status)
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
