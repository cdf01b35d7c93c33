package e2e

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

// process is one life of a sett: a server, or an agent.
type process struct {
	cmd   *exec.Cmd
	log   *processLog
	ended chan struct{} // closed when it has exited
	err   error         // how it exited; read it after ended
}

// launch starts "sett serve" with the flags on a free port of the loopback and returns at once.
func launch(t testing.TB, flags ...string) *process {
	t.Helper()
	return launchPrinting(t, io.Discard, flags...)
}

// launchPrinting is launch for a server whose standard output goes to out.
func launchPrinting(t testing.TB, out io.Writer, flags ...string) *process {
	t.Helper()
	cmd := exec.Command(settBinary, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--resolver", "127.0.0.1:9"}, flags...)...)
	cmd.Stdout = out
	return begin(t, cmd)
}

// begin starts a sett that logs JSON and goes on until it is ended, at the latest with the test.
func begin(t testing.TB, cmd *exec.Cmd, variables ...string) *process {
	t.Helper()
	p := &process{cmd: cmd, log: &processLog{ready: make(chan string, 2)}, ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stderr = append(environment(), variables...), p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start sett: %v", err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.kill()
		if log := p.log.String(); t.Failed() && log != "" {
			t.Logf("the end of the log of sett %d:\n%s", p.cmd.Process.Pid, log)
		}
	})
	return p
}

// environment is that of the tests without SETT_ variables, which the developer may have exported.
func environment() (env []string) {
	for _, line := range os.Environ() {
		if !strings.HasPrefix(line, "SETT_") {
			env = append(env, line)
		}
	}
	return env
}

// await returns the address once the process serves.
func (p *process) await(t testing.TB) (base string) {
	t.Helper()
	select {
	case base := <-p.log.ready:
		return base
	case <-p.ended:
		t.Fatalf("sett ended before it served: %v", p.err)
	case <-time.After(time.Minute):
		t.Fatal("sett did not serve within a minute")
	}
	return ""
}

// kill ends the process as a power cut does, as far as a signal can.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // fails only when it has ended
	<-p.ended
}

// stop ends the process as an operator does.
func (p *process) stop(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("stop sett: %v", err)
	}
	if p.awaitEnd(t); p.err != nil {
		t.Errorf("sett did not exit with 0 on SIGTERM: %v", p.err)
	}
}

// awaitEnd returns once the process has ended.
func (p *process) awaitEnd(t testing.TB) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(endsIn):
		p.kill()
		t.Fatalf("sett has not ended after %v", endsIn)
	}
}

// endsIn is how long a program may take that was asked to end: longer than any request that it finishes.
const endsIn = 2 * time.Minute

// processLog takes the log of a process: it finds the line that names the address, and keeps the last of those that
// report trouble.
type processLog struct {
	ready chan string

	mu     sync.Mutex
	listen string // where it listens, if it serves
	line   []byte // of which no newline has come yet
	kept   [][]byte
}

const keptLines = 50

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
			l.listen = entry.Listen
			l.ready <- entry.Address
		}
		return
	}
	if l.kept = append(l.kept, bytes.Clone(line)); len(l.kept) > keptLines {
		l.kept = l.kept[1:]
	}
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.Join(l.kept, []byte("\n")))
}
