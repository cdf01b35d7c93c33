package dial

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

// everywhere allows every address, so that only Own can refuse one.
var everywhere = networks("0.0.0.0/0", "::/0")

// ownAt returns a Dialer beside a program that listens at host, and the port.
func ownAt(t *testing.T, host string) (*Dialer, string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Skipf("this machine has no %s: %v", host, err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	own := new(Own)
	own.Add(listener.Addr())
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	names := WithResolver(resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} }))
	return New(Policy{Allow: everywhere}, Except(own), names), port
}

func isOwn(t *testing.T, d *Dialer, addr string) bool {
	t.Helper()
	_, err := connect(t, d, "tcp", addr)
	_, own := errors.AsType[*OwnError](err)
	return own
}

func TestOwnListenersAreNeverReached(t *testing.T) {
	t.Parallel()
	d, port := ownAt(t, "127.0.0.1")
	for _, host := range []string{"127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0", "localhost", "own.test"} {
		if !isOwn(t, d, net.JoinHostPort(host, port)) {
			t.Errorf("%s leads to the program itself", host)
		}
	}
	if isOwn(t, d, net.JoinHostPort("127.0.0.2", port)) {
		t.Error("127.0.0.2 is another address than the program listens at")
	}
	if other := listen(t, "127.0.0.1", "0"); isOwn(t, d, net.JoinHostPort("127.0.0.1", other)) {
		t.Error("another program on this machine is taken for this one")
	}
}

// A program that listens at no address in particular is at all of its machine's.
func TestOwnListenerOfEveryAddress(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "::"} {
		d, port := ownAt(t, host)
		addresses, err := net.InterfaceAddrs()
		if err != nil {
			t.Fatal(err)
		}
		tried := []string{"127.0.0.1", "127.9.9.9", "0.0.0.0", "localhost"}
		for _, a := range addresses {
			if p := netip.MustParsePrefix(a.String()); !p.Addr().Is6() || host == "::" {
				tried = append(tried, p.Addr().String())
			}
		}
		for _, to := range tried {
			if !isOwn(t, d, net.JoinHostPort(to, port)) {
				t.Errorf("%s leads to what listens at %s", to, host)
			}
		}
	}
}
