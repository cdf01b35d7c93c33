//go:build !unix

package job

import "os"

// others are the signals that programs give a meaning of their own: there are none here.
var others []os.Signal

func statusOf(s *os.ProcessState) int { return s.ExitCode() }
