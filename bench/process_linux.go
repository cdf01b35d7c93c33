package bench

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// processTime returns the CPU time of a process. Its clock has the number that clock_getcpuclockid(3) computes from the process ID.
func processTime(pid int) time.Duration {
	const allThreads = 2
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|allThreads), &at); err != nil {
		return 0
	}
	return time.Duration(at.Nano())
}

// processMemory returns the greatest resident set of a process that has ended, in bytes.
func processMemory(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
