package rig

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// IP runs a command of ip(8), such as "link add …".
func IP(t testing.TB, args string) {
	t.Helper()
	RunCommand(t, "ip", strings.Fields(args)...)
}

// Ports that FreeAddress hands out. They lie below those that Linux gives to a socket that asks for any, which are 32768
// to 60999: a port from there could be taken by the next connection of any program before the server of the test has it.
const (
	firstPort = 12000
	portCount = 20000
)

// nextPort counts on from a random port: no test of this process is given the port of another, and two processes
// hardly ever meet.
var nextPort = func() *atomic.Int64 {
	var n atomic.Int64
	n.Store(rand.Int64N(portCount))
	return &n
}()

// FreeAddress returns an address of this machine on which no process listens now, and which is given to one test only.
func FreeAddress(t *testing.T) string {
	t.Helper()
	var failed error
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+nextPort.Add(1)%portCount))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
		failed = err
	}
	t.Fatal("find a free port: ", failed)
	return ""
}

// NeedsNetworks skips the test when the user cannot create networks.
func NeedsNetworks(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make networks")
	}
}
