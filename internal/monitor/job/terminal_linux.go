package job

import (
	"os"
	"syscall"
	"unsafe"
)

// inForeground reports whether f is a terminal whose keys make signals for this process and those that it started, as
// Ctrl-C does (tcgetpgrp of POSIX).
func inForeground(f *os.File) bool {
	var group int32
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&group)))
	return failed == 0 && int(group) == syscall.Getpgrp()
}
