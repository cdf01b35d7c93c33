//go:build unix

package job

import (
	"os"
	"syscall"
)

// others are the signals that programs give a meaning of their own.
var others = []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}

// statusOf is the exit status of a command as in a shell.
func statusOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// passOn sends a signal on, unless the terminal has sent it to the command as well.
func passOn(s os.Signal, send func(os.Signal) error) error {
	if (s == syscall.SIGINT || s == syscall.SIGQUIT) && inForeground(os.Stdin) {
		s = syscall.Signal(0)
	}
	return send(s)
}
