package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server in its own process, so that its CPU time can be measured separately.
type process struct {
	cmd     *exec.Cmd
	address string
}

// startProcess runs a command that serves on the given address and waits until it answers at path.
func startProcess(ctx context.Context, address, path string, errors io.Writer, env []string, command ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = errors
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command[1], err)
	}
	p := &process{cmd, address}
	for range 1200 { // a minute, for machines that do other work
		if r, err := http.Get("http://" + address + path); err == nil {
			r.Body.Close()
			return p, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.stop() //nolint:errcheck // it never served
	return nil, fmt.Errorf("%s did not start on %s", command[1], address)
}

func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.cmd.Wait()
}

// cpu returns the CPU time that the process has used, of all its threads. It is 0 where a process cannot ask that about another one.
func (p *process) cpu() time.Duration {
	return processTime(p.cmd.Process.Pid)
}

// memory returns the greatest resident set of the process so far, in bytes (VmHWM of proc(5)).
func (p *process) memory() int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if value, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}
