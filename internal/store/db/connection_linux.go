package db

import (
	"strings"
	"syscall"
)

const tcpUserTimeout = 0x12 // TCP_USER_TIMEOUT of linux/tcp.h, missing in package syscall

// dropUnanswered makes the system close a connection on which nothing was acknowledged for deadAfter. By default, it would retransmit to
// a vanished machine for a quarter of an hour.
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
