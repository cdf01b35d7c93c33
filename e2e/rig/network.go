package rig

import (
	"net"
	"os"
	"strings"
	"testing"
)

// IP runs a command of ip(8), such as "link add …".
func IP(t testing.TB, args string) {
	t.Helper()
	RunCommand(t, "ip", strings.Fields(args)...)
}

// FreeAddress returns an address on which no process listens now.
func FreeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// NeedsNetworks skips the test when the user cannot create networks.
func NeedsNetworks(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make networks")
	}
}
