package probe

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// dialed is an error as connections that cannot be made return it.
func dialed(no syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", no)}
}

// What this machine lacks is not the site's fault.
func TestOwnTrouble(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{dialed(lacks[0]), true},
		{dialed(lacks[1]), true},
		{dialed(lacks[2]), true},
		{fmt.Errorf("wrapped: %w", dialed(lacks[3])), true},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "dial udp 192.0.2.1:53: socket: " + lacks[0].Error(), Name: "a.test"}}, true},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", Name: "a.test"}}, false},
		{dialed(connRefused), false},
		{problem("Response is not valid HTTP"), false},
		{nil, false},
	} {
		if got := isOwnTrouble(tt.err); got != tt.want {
			t.Errorf("%v: %t", tt.err, got)
		}
	}
}

// Unknown errors have a reason too, and not their own text.
func TestFailuresHaveReasons(t *testing.T) {
	t.Parallel()
	for s := range steps {
		if s.phase() == "" {
			t.Errorf("step %d has no phase", s)
		}
		for _, err := range []error{
			io.ErrUnexpectedEOF, io.ErrClosedPipe, dialed(resets[0]), dialed(connRefused), dialed(hostUnreachable),
			dialed(netUnreachable), dialed(syscall.EADDRNOTAVAIL), dialed(syscall.EPIPE),
		} {
			for _, http2 := range []bool{false, true} {
				got := s.failure(err, http2)
				if got == "" || strings.Contains(got, "dial") || strings.HasSuffix(got, " ") {
					t.Errorf("step %d, %v: %q", s, err, got)
				}
			}
		}
	}
	if got := connecting.failure(dialed(hostUnreachable), false); got != "No route to the host" {
		t.Errorf("got %q", got)
	}
	if got := connecting.failure(dialed(syscall.EADDRNOTAVAIL), false); got != "Connection failed" {
		t.Errorf("got %q", got)
	}
}
