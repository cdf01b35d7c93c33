package probe

import "syscall"

// What connections fail with: the error codes of Windows Sockets. Those of POSIX exist here too, but the system never returns them.
const (
	connRefused     = syscall.Errno(10061)
	hostUnreachable = syscall.Errno(10065)
	netUnreachable  = syscall.Errno(10051)
)

var (
	resets = []syscall.Errno{syscall.WSAECONNRESET, syscall.WSAECONNABORTED, syscall.EPIPE}
	// lacks are what this machine has too little of: descriptors, buffers and memory.
	lacks = []syscall.Errno{10024, 10055, 8, 14}
)
