package chaos

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// lan is a network of machines, each a network namespace with a cable to a switch, which this machine is plugged into as well. It needs root,
// and the Debian package iproute2.
type lan struct {
	name     string // of the switch
	prefix   string // of addresses
	host     string // this machine's address
	machines int
}

var lans atomic.Int64 // that were made

// machine is a machine of a lan.
type machine struct {
	netns, address string
	port           string // of the switch
}

func newLAN(t testing.TB) *lan {
	t.Helper()
	number := lans.Add(1)
	l := &lan{name: fmt.Sprintf("lan%dn%d", os.Getpid()%100000, number), prefix: fmt.Sprintf("198.18.%d", 202+(os.Getpid()*3+int(number))%50)}
	l.host = l.prefix + ".1"
	rig.IP(t, "netns add "+l.name)
	t.Cleanup(func() { rig.IP(t, "netns delete "+l.name) })
	rig.IP(t, "-n "+l.name+" link add switch type bridge")
	rig.IP(t, "-n "+l.name+" link set switch up")
	uplink := fmt.Sprintf("l%dn%d", os.Getpid()%100000, number)
	rig.IP(t, "link add "+uplink+" type veth peer name uplink netns "+l.name)
	rig.IP(t, "-n "+l.name+" link set uplink master switch up")
	rig.IP(t, "address add "+l.host+"/24 dev "+uplink)
	rig.IP(t, "link set "+uplink+" up")
	return l
}

// machine plugs in a new machine.
func (l *lan) machine(t testing.TB) (m machine) {
	t.Helper()
	l.machines++
	m = machine{netns: fmt.Sprintf("%sm%d", l.name, l.machines), address: fmt.Sprintf("%s.%d", l.prefix, l.machines+1), port: fmt.Sprint("port", l.machines)}
	rig.IP(t, "netns add "+m.netns)
	t.Cleanup(func() { rig.IP(t, "netns delete "+m.netns) })
	rig.IP(t, "-n "+l.name+" link add "+m.port+" type veth peer name eth0 netns "+m.netns)
	rig.IP(t, "-n "+l.name+" link set "+m.port+" master switch up")
	rig.IP(t, "-n "+m.netns+" address add "+m.address+"/24 dev eth0")
	for _, link := range []string{"eth0", "lo"} {
		rig.IP(t, "-n "+m.netns+" link set "+link+" up")
	}
	return m
}

// cut has the switch drop what a machine sends and what is sent to it: no one is notified.
func (l *lan) cut(m machine) error { return l.set(m, "down") }

// restore ends a cut.
func (l *lan) restore(m machine) error { return l.set(m, "up") }

func (l *lan) set(m machine, state string) error {
	if out, err := program.Bounded("ip", "-n", l.name, "link", "set", m.port, state).CombinedOutput(); err != nil {
		return fmt.Errorf("set port of %s: %w: %s", m.address, err, out)
	}
	return nil
}

// TestLAN checks that a machine that is cut off is silent, and no longer when it is not.
func TestLAN(t *testing.T) {
	t.Parallel()
	rig.NeedsNetworks(t)
	l := newLAN(t)
	first, second := l.machine(t), l.machine(t)
	refuses := func(m machine) bool { // or is silent
		c, err := net.DialTimeout("tcp", m.address+":81", time.Second)
		if err == nil {
			_ = c.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	}
	rig.Await(t, "both machines respond", func() bool { return refuses(first) && refuses(second) })
	if err := l.cut(first); err != nil {
		t.Fatal(err)
	}
	if refuses(first) || !refuses(second) {
		t.Error("one machine was cut off, and that is not what happened")
	}
	if err := l.restore(first); err != nil {
		t.Fatal(err)
	}
	rig.Await(t, "the machine responds again", func() bool { return refuses(first) })
}
