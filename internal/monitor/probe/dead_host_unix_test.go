//go:build unix

package probe_test

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"sett/internal/sett/checks"
)

// deadHost returns an address of this machine that answers no attempt to connect: its queue of connections that no process
// takes is full.
func deadHost(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	err = errors.Join(syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(socket, 0))
	if err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 20 {
		conn, err := net.DialTimeout("tcp", address, 300*time.Millisecond)
		if isTimeout(err) {
			return address
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Fatal("the queue never filled")
	return ""
}

func TestCheckDeadHost(t *testing.T) {
	t.Parallel()
	r := check(t, open(), checks.ProbeRequest{URL: "http://" + deadHost(t), Timeout: short})
	if r.Reason != "Connection timed out" || r.Phase != checks.PhaseConnect || r.RemoteAddr != "" {
		t.Errorf("reason %q, phase %q, remote %q", r.Reason, r.Phase, r.RemoteAddr)
	}
}

func TestTCPDeadHost(t *testing.T) {
	t.Parallel()
	r := check(t, openTCP(), checks.ProbeRequest{URL: "tcp://" + deadHost(t), Timeout: short})
	if r.Reason != "Connection timed out after 1s" || r.Phase != checks.PhaseConnect || r.RemoteAddr != "" {
		t.Errorf("reason %q, phase %q, remote %q", r.Reason, r.Phase, r.RemoteAddr)
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}
