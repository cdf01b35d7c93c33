package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// listen takes connections at host until the test ends, and returns its port.
func listen(t *testing.T, host, port string) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		t.Skipf("this machine has no %s: %v", host, err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// connect reports where a connection ended up.
func connect(t *testing.T, d *Dialer, network, addr string) (netip.Addr, error) {
	t.Helper()
	conn, err := d.DialContext(t.Context(), network, addr)
	if err != nil {
		return netip.Addr{}, err
	}
	defer func() { _ = conn.Close() }()
	return netip.MustParseAddrPort(conn.RemoteAddr().String()).Addr(), nil
}

// careless answers numbers in any base, as getaddrinfo of some systems does, and names of every kind.
func careless(name string) []netip.Addr {
	for _, spelling := range []string{"0x7f000001", "0x7f.0.0.0x1", "0177.0.0.0x1", "127.0.0.1", "loop.test", "loop.test.example"} {
		if strings.EqualFold(name, spelling) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
	}
	return nil
}

func TestDialContextRefusesEverySpelling(t *testing.T) {
	t.Parallel()
	port := listen(t, "127.0.0.1", "0")
	for _, tt := range []struct {
		host    string
		reaches bool // if allowed; Go does not resolve numbers that are not addresses
	}{
		{"127.0.0.1", true},
		{"localhost", true},
		{"LocalHost", true},
		{"0.0.0.0", true},
		{"::ffff:127.0.0.1", true},
		{"::ffff:7f00:1", true},
		{"0:0:0:0:0:ffff:7f00:0001", true},
		{"loop.test", true},
		{"LOOP.test.", true},
		{"0x7f000001", true},
		{"0x7F000001.", true},
		{"0x7f.0.0.0x1", true},
		{"0177.0.0.0x1", true},
		{"2130706433", false},
		{"017700000001", false},
		{"0177.0.0.1", false},
		{"127.1", false},
		{"0", false},
		{"", false},
	} {
		t.Run(tt.host, func(t *testing.T) {
			t.Parallel()
			addr := net.JoinHostPort(tt.host, port)
			names := WithResolver(resolver(careless))
			_, err := connect(t, New(Policy{}, names), "tcp", addr)
			if err == nil {
				t.Fatal("connected")
			}
			if _, forbidden := errors.AsType[*ForbiddenError](err); forbidden != tt.reaches {
				t.Errorf("forbidden: %t, want %t: %v", forbidden, tt.reaches, err)
			}
			_, err = connect(t, New(Policy{Allow: networks("127.0.0.0/8", "0.0.0.0/32")}, names), "tcp4", addr)
			if reached := err == nil; reached != tt.reaches {
				t.Errorf("reached when allowed: %t, want %t: %v", reached, tt.reaches, err)
			}
		})
	}
}

func TestDialContextIPv6(t *testing.T) {
	t.Parallel()
	port := listen(t, "::1", "0")
	for _, host := range []string{"::1", "0:0:0:0:0:0:0:1", "::1%lo", "::"} {
		_, err := connect(t, New(Policy{}), "tcp", net.JoinHostPort(host, port))
		if _, ok := errors.AsType[*ForbiddenError](err); !ok {
			t.Errorf("%s: got %v", host, err)
		}
	}
	if _, err := connect(t, New(Policy{Allow: networks("::1/128")}), "tcp", net.JoinHostPort("::1", port)); err != nil {
		t.Error(err)
	}
}

func TestDialContextSeesReboundName(t *testing.T) {
	t.Parallel()
	port := listen(t, "127.0.0.1", "0")
	var lookups atomic.Int32
	names := resolver(func(string) []netip.Addr {
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("203.0.113.7")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	})
	found, err := names.LookupNetIP(t.Context(), "ip4", "rebind.test.")
	if err != nil {
		t.Fatal(err)
	}
	if err := (Policy{}).Check(found[0]); err != nil {
		t.Fatalf("the first answer is harmless, but: %v", err)
	}
	_, err = connect(t, New(Policy{}, WithResolver(names)), "tcp4", "rebind.test.:"+port)
	if e, ok := errors.AsType[*ForbiddenError](err); !ok || e.Addr != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("got %v", err)
	}
}

func TestDialContextTriesAllowedAddresses(t *testing.T) {
	t.Parallel()
	port := listen(t, "127.0.0.1", "0")
	listen(t, "127.0.0.2", port)
	names := resolver(func(string) []netip.Addr {
		return []netip.Addr{netip.MustParseAddr("::1"), netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")}
	})
	got, err := connect(t, New(Policy{Allow: networks("127.0.0.2/32")}, WithResolver(names)), "tcp", "both.test.:"+port)
	if err != nil || got != netip.MustParseAddr("127.0.0.2") {
		t.Errorf("reached %v, %v", got, err)
	}
}

func TestDialContextUDP(t *testing.T) {
	t.Parallel()
	_, err := connect(t, New(Policy{}), "udp", "127.0.0.1:53")
	if _, ok := errors.AsType[*ForbiddenError](err); !ok {
		t.Errorf("got %v", err)
	}
	if _, err := connect(t, New(Policy{Allow: networks("127.0.0.0/8")}), "udp", "127.0.0.1:53"); err != nil {
		t.Error(err)
	}
}

func TestDialContextRefusesFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "socket")
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "unix", path)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = listener.Close() }()
	d := New(Policy{Allow: networks("0.0.0.0/0", "::/0")})
	if conn, err := d.DialContext(t.Context(), "unix", path); err == nil {
		_ = conn.Close()
		t.Error("connected to a file")
	}
}

func TestPolicyOfDialerIsItsOwn(t *testing.T) {
	t.Parallel()
	port := listen(t, "127.0.0.1", "0")
	p := Policy{Deny: networks("127.0.0.0/8")}
	d := New(p)
	p.Deny[0] = netip.MustParsePrefix("10.0.0.0/8")
	_, err := connect(t, d, "tcp", "127.0.0.1:"+port)
	if e, ok := errors.AsType[*ForbiddenError](err); !ok || e.Kind != "" {
		t.Errorf("got %v", err)
	}
}

func TestDialContextEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	port := listen(t, "127.0.0.1", "0")
	conn, err := New(Policy{Allow: networks("127.0.0.0/8")}).DialContext(ctx, "tcp", "127.0.0.1:"+port)
	if err == nil {
		_ = conn.Close()
		t.Error("connected")
	}
}

// A name that first leads to a public address and then to a private one is refused at the second, before anything is sent.
func TestStrangersAreSeenThroughWhenTheirNameChanges(t *testing.T) {
	t.Parallel()
	port := listen(t, "127.0.0.1", "0")
	for _, inside := range []string{"127.0.0.1", "10.0.0.1", "::ffff:10.0.0.1", "fd00::1"} {
		names := resolver(func(string) []netip.Addr { return []netip.Addr{netip.MustParseAddr(inside)} })
		_, err := connect(t, New(Anywhere().Strangers(), WithResolver(names)), "tcp", "rebind.test.:"+port)
		if e, ok := errors.AsType[*ForbiddenError](err); !ok || !e.Fixed {
			t.Errorf("%s: got %v", inside, err)
		}
	}
}
