// Package job runs a command unchanged, and reports the result to a check-in. It passes on the output of the command byte for byte, and its
// exit status, and sends one report when the command has ended. Signals are passed to the command. The report never changes what the
// command does or how it ends: the command never waits for a server, and never fails because of one.
package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// lastWords is how long the report waits for output that was written before the command ended. It is at its end at
// once, unless something that the command has left running writes to it too.
const lastWords = 500 * time.Millisecond

// Job is a command to run once.
type Job struct {
	Command        []string // name and arguments
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Report         func(context.Context, Outcome) error
}

// Run runs the command, reports the result and returns its exit status like a shell: 128 plus the signal's number when one
// ended it, 127 when the command is not found, 126 when it cannot be run. A failed report is a line on Stderr.
func (j Job) Run() (status int) {
	calls := catch()
	defer calls.release()
	began := time.Now()
	c, err := j.start()
	if err != nil {
		o := notStarted(j.Command[0], err)
		fmt.Fprintln(j.Stderr, "sett:", o.Stderr)
		j.report(calls.untilStopped(nil), o)
		return o.Status
	}
	running := calls.untilStopped(c.Process.Signal)
	_ = c.Wait() // how it ended is in ProcessState
	o := Outcome{Duration: time.Since(began), Status: statusOf(c.ProcessState)}
	words, cancel := context.WithTimeout(running, lastWords)
	defer cancel()
	c.await(words)
	o.Stdout, o.Stderr = c.stdout.String(), c.stderr.String()
	j.report(running, o)
	c.await(running)
	return o.Status
}

func (j Job) report(ctx context.Context, o Outcome) {
	if err := j.Report(ctx, o); err != nil {
		fmt.Fprintf(j.Stderr, "sett: the check-in was not reported: %v; the command itself exited with status %d\n", err, o.Status)
	}
}

// running is a command that runs, and what it writes on its way to the Job's streams.
type running struct {
	*exec.Cmd
	stdout, stderr tail
	passed         chan struct{} // closed once all output has gone through
}

// start runs the command with our own pipes: those of package exec would make Wait wait for every process that holds them.
func (j Job) start() (*running, error) {
	c := &running{Cmd: exec.Command(j.Command[0], j.Command[1:]...), passed: make(chan struct{})}
	c.Stdin = j.Stdin
	out, toOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errs, toErrs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, out.Close(), toOut.Close())
	}
	c.Stdout, c.Stderr = toOut, toErrs
	err = c.Start()
	if closed := errors.Join(toOut.Close(), toErrs.Close()); err != nil { // the command has its own
		return nil, errors.Join(err, closed, out.Close(), errs.Close())
	}
	go c.pass(out, j.Stdout, errs, j.Stderr)
	return c, nil
}

// pass copies both outputs until all processes that hold them have ended.
func (c *running) pass(out io.ReadCloser, stdout io.Writer, errs io.ReadCloser, stderr io.Writer) {
	defer close(c.passed)
	other := make(chan struct{})
	go func() {
		defer close(other)
		copyOutput(errs, stderr, &c.stderr)
	}()
	copyOutput(out, stdout, &c.stdout)
	<-other
}

// copyOutput copies r to w. If w can no longer be written, it closes r, so that the writer gets the same error as if it had
// written to w.
func copyOutput(r io.ReadCloser, w io.Writer, t *tail) {
	_, _ = io.Copy(io.MultiWriter(t, w), r)
	_ = r.Close()
}

// await returns once all output has gone through, or ctx ends.
func (c *running) await(ctx context.Context) {
	select {
	case <-c.passed:
	case <-ctx.Done():
	}
}

// What a shell answers in place of a command that it cannot run (POSIX, Shell Command Language 2.8.2).
const (
	cannotRun = 126
	notFound  = 127
)

// notStarted is how a command went that there is not.
func notStarted(name string, err error) Outcome {
	o := Outcome{Status: cannotRun, Stderr: fmt.Sprintf("%s cannot be run: %s", name, reason(err))}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		o.Status, o.Stderr = notFound, fmt.Sprintf("%s: command not found; write the path of its file, or correct PATH", name)
	}
	return o
}

// reason is the last of a chain of errors, in which the name stands too.
func reason(err error) string {
	text := err.Error()
	return strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:])
}
