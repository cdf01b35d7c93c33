//go:build !windows

package probe

import "syscall"

// What connections fail with. Windows has numbers of its own.
const (
	connRefused     = syscall.ECONNREFUSED
	hostUnreachable = syscall.EHOSTUNREACH
	netUnreachable  = syscall.ENETUNREACH
)

var (
	resets = []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE}
	// lacks are what this machine has too little of.
	lacks = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}
)
