package db

import (
	"strings"
	"syscall"
)

const tcpUserTimeout = 0x12 // TCP_USER_TIMEOUT of linux/tcp.h, which package syscall lacks

// dropUnanswered has the system end a connection over which nothing was confirmed for deadAfter. Without it what was sent
// to a machine that has vanished is sent again for a quarter of an hour.
func dropUnanswered(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(deadAfter.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
