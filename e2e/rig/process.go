package rig

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is one life of a sett: a server, or an agent.
type Process struct {
	Cmd   *exec.Cmd
	Log   *processLog
	Ended chan struct{} // closed when it has exited
	Err   error         // how it exited; read it after ended
}

// Launch starts "sett serve" with the flags on a free port of the loopback and returns at once.
func Launch(t testing.TB, flags ...string) *Process {
	t.Helper()
	return LaunchPrinting(t, io.Discard, flags...)
}

// LaunchPrinting is launch for a server whose standard output goes to out.
func LaunchPrinting(t testing.TB, out io.Writer, flags ...string) *Process {
	t.Helper()
	cmd := exec.Command(Binary, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--resolver", "127.0.0.1:9"}, flags...)...)
	cmd.Stdout = out
	return Begin(t, cmd)
}

// Begin starts a sett that logs JSON and goes on until it is ended, at the latest with the test.
func Begin(t testing.TB, cmd *exec.Cmd, variables ...string) *Process {
	t.Helper()
	p := &Process{Cmd: cmd, Log: &processLog{ready: make(chan string, 2)}, Ended: make(chan struct{})}
	p.Cmd.Env, p.Cmd.Stderr = append(Environment(), variables...), p.Log
	if err := p.Cmd.Start(); err != nil {
		t.Fatalf("start sett: %v", err)
	}
	go func() {
		p.Err = p.Cmd.Wait()
		close(p.Ended)
	}()
	t.Cleanup(func() {
		p.Kill()
		if log := p.Log.String(); t.Failed() && log != "" {
			t.Logf("the end of the log of sett %d:\n%s", p.Cmd.Process.Pid, log)
		}
	})
	return p
}

// Environment is that of the tests without SETT_ variables, which the developer may have exported.
func Environment() (env []string) {
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "SETT_") {
			env = append(env, line)
		}
	}
	return env
}

// Await returns the address once the process serves.
func (p *Process) Await(t testing.TB) (base string) {
	t.Helper()
	select {
	case base := <-p.Log.ready:
		return base
	case <-p.Ended:
		t.Fatalf("sett ended before it served: %v", p.Err)
	case <-time.After(time.Minute):
		t.Fatal("sett did not serve within a minute")
	}
	return ""
}

// Kill ends the process as a power cut does, as far as a signal can.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill() // fails only when it has ended
	<-p.Ended
}

// Stop ends the process as an operator does.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("stop sett: %v", err)
	}
	if p.AwaitEnd(t); p.Err != nil {
		t.Errorf("sett did not exit with 0 on SIGTERM: %v", p.Err)
	}
}

// AwaitEnd returns once the process has ended.
func (p *Process) AwaitEnd(t testing.TB) {
	t.Helper()
	select {
	case <-p.Ended:
	case <-time.After(EndsIn):
		p.Kill()
		t.Fatalf("sett has not ended after %v", EndsIn)
	}
}

// EndsIn is how long a program may take that was asked to end: longer than any request that it finishes.
const EndsIn = 2 * time.Minute

// processLog takes the log of a process: it finds the line that names the address, and keeps the last of those that
// report trouble.
type processLog struct {
	ready chan string

	mu     sync.Mutex
	Listen string // where it listens, if it serves
	line   []byte // of which no newline has come yet
	kept   [][]byte
}

// KeptLines is how many lines with trouble a test shows of the log of a process.
const KeptLines = 50

func (l *processLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, b...)
	for {
		line, rest, whole := bytes.Cut(l.line, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		l.take(line)
		l.line = bytes.Clone(rest)
	}
}

func (l *processLog) take(line []byte) {
	var entry struct{ Level, Msg, Address, Listen string }
	if json.Unmarshal(line, &entry) == nil && entry.Level == "INFO" {
		if entry.Msg == "sett is ready" || entry.Msg == "sett accepts reports, and waits for the database" {
			l.Listen = entry.Listen
			l.ready <- entry.Address
		}
		return
	}
	if l.kept = append(l.kept, bytes.Clone(line)); len(l.kept) > KeptLines {
		l.kept = l.kept[1:]
	}
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.Join(l.kept, []byte("\n")))
}

// Await returns once something is true; that it takes its time is no failure.
func Await(t testing.TB, what string, true func() bool) {
	t.Helper()
	for limit := time.After(3 * time.Minute); !true(); {
		select {
		case <-limit:
			t.Fatal("never: ", what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
