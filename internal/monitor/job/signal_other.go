//go:build !unix

package job

import (
	"errors"
	"os"
	"syscall"
)

// others are the signals that programs give a meaning of their own: there are none here.
var others []os.Signal

func statusOf(s *os.ProcessState) int { return s.ExitCode() }

// passOn only finds out whether the command still runs: a console sends Ctrl-C to each of its programs, and one cannot send it to another.
func passOn(_ os.Signal, send func(os.Signal) error) error {
	if err := send(syscall.Signal(0)); errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
