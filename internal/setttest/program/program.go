// Package program is for tests that run programs. It takes names of programs and their arguments, and
// returns commands that begin with the usual signals, whatever the tests inherited, and that are
// killed after a time of their own. It never starts a program.
package program

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// UsualSignals makes programs of tests begin with the usual signals, also where nohup or a script has this process ignore some: what a process
// ignores, those that it starts ignore too.
func UsualSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // read by nothing: this process goes on ignoring it
		}
	}
}

// Lasts is how long a program may take that ends by itself. Those that install or build something may need the network, or wait for busy cores:
// CI runs some at the lowest priority beside others, where they stand still for most of that.
const Lasts = 30 * time.Minute

// outlives is for how long the output of a program is waited for that has been killed: what it has started may hold it open.
const outlives = 10 * time.Second

// Bounded returns a command that is killed when it takes longer than Lasts. It has not begun.
func Bounded(name string, args ...string) *exec.Cmd { return within(Lasts, name, args...) }

func within(most time.Duration, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	context.AfterFunc(ctx, cancel) // nothing else is left of a program that ended sooner
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = outlives
	return cmd
}
