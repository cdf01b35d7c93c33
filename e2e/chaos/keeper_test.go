package chaos

import (
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"sett/e2e/rig"
)

// restartAfter is how long a keeper waits before it starts a program again.
const restartAfter = time.Second

// keeper runs a program, and starts it again when it has ended, as systemd does.
type keeper struct {
	command func() *exec.Cmd

	mu    sync.Mutex
	kept  bool
	cmd   *exec.Cmd     // that runs; nil: none
	ended chan struct{} // closed when no life comes any more; nil before the first
	lives int
}

// newKeeper returns the keeper of a program that does not run yet, and ends with the test at the latest.
func newKeeper(t testing.TB, command func() *exec.Cmd) *keeper {
	t.Helper()
	k := &keeper{command: command}
	t.Cleanup(func() { k.down(syscall.SIGKILL); k.wait() })
	return k
}

// up has the program run from now on.
func (k *keeper) up() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept {
		return
	}
	before, ended := k.ended, make(chan struct{})
	k.kept, k.ended = true, ended
	go func() {
		defer close(ended)
		if before != nil {
			<-before
		}
		for k.live() {
			<-time.After(restartAfter)
		}
	}()
}

// live runs the program once, and reports whether it is to run again.
func (k *keeper) live() (again bool) {
	k.mu.Lock()
	if !k.kept {
		k.mu.Unlock()
		return false
	}
	cmd := k.command()
	if err := cmd.Start(); err == nil {
		k.cmd = cmd
		k.lives++
		k.mu.Unlock()
		_ = cmd.Wait() // it is restarted however it ends
		k.mu.Lock()
		k.cmd = nil
	}
	defer k.mu.Unlock()
	return k.kept
}

// down has the program end by a signal, and stay away.
func (k *keeper) down(s syscall.Signal) {
	k.mu.Lock()
	k.kept = false
	k.mu.Unlock()
	k.signal(s)
}

func (k *keeper) signal(s syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd != nil {
		_ = k.cmd.Process.Signal(s) // fails only when it has ended
	}
}

// wait returns when a program that is down has ended.
func (k *keeper) wait() {
	k.mu.Lock()
	ended := k.ended
	k.mu.Unlock()
	if ended == nil {
		return
	}
	late := time.AfterFunc(rig.EndsIn, func() { k.signal(syscall.SIGKILL) })
	defer late.Stop()
	<-ended
}

// pid returns the process; 0: none.
func (k *keeper) pid() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd == nil {
		return 0
	}
	return k.cmd.Process.Pid
}
