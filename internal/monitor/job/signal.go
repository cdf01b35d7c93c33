package job

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endings are the signals that end a program.
var endings = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT}

// calls are the signals that this process gets.
type calls struct {
	signals, broken chan os.Signal
	released        chan struct{}
}

// catch takes the signals of this process. One that is ignored stays so, here and in the command, as nohup has it. A
// broken pipe is then an error of the write, and not the end of this process before it has reported.
func catch() *calls {
	c := &calls{signals: make(chan os.Signal, 16), broken: make(chan os.Signal, 1), released: make(chan struct{})}
	for _, s := range slices.Concat(endings, others) {
		if !signal.Ignored(s) {
			signal.Notify(c.signals, s)
		}
	}
	signal.Notify(c.broken, syscall.SIGPIPE)
	return c
}

func (c *calls) release() {
	signal.Stop(c.signals)
	signal.Stop(c.broken)
	close(c.released)
}

// untilStopped passes signals to send while the command is running, and returns a context that is canceled by a signal after
// that.
func (c *calls) untilStopped(send func(os.Signal) error) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for {
			select {
			case <-c.released:
				return
			case s := <-c.signals:
				if send == nil || passOn(s, send) != nil {
					if slices.Contains(endings, s) {
						cancel()
					}
				}
			}
		}
	}()
	return ctx
}
