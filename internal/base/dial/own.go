package dial

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// Own are the addresses and ports at which this program itself listens. Nothing that others ask for may connect there: a
// proxy's word on who a user is would count. It is safe for concurrent use; a nil Own has no address.
type Own struct {
	mu        sync.RWMutex
	listeners []netip.AddrPort
}

// Add notes a listener.
func (o *Own) Add(at net.Addr) {
	listener, err := netip.ParseAddrPort(at.String())
	if err != nil { // no TCP, and nothing that a Dialer connects to
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listeners = append(o.listeners, netip.AddrPortFrom(plain(listener.Addr()), listener.Port()))
}

// OwnError is a connection to this program itself.
type OwnError struct{ To netip.AddrPort }

func (e *OwnError) Error() string {
	return fmt.Sprintf("connections to %s are not allowed, because sett itself listens there; use another address", e.To)
}

// check returns an *OwnError when a connection to an address would reach a listener.
func (o *Own) check(to netip.AddrPort) error {
	if o == nil {
		return nil
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	for _, listener := range o.listeners {
		if listener.Port() == to.Port() && reaches(plain(to.Addr()), listener.Addr()) {
			return &OwnError{to}
		}
	}
	return nil
}

// reaches reports whether a connection to an address ends at a listener of the same port. One without an address of its
// own takes what is for any address of this machine. The unspecified address leads to loopback addresses.
func reaches(to, listener netip.Addr) bool {
	switch {
	case to == listener:
		return true
	case to.IsUnspecified():
		return listener.IsLoopback() || listener.IsUnspecified()
	case listener.IsUnspecified():
		return isLocal(to)
	}
	return false
}

// isLocal reports whether an address is one of this machine. When its addresses cannot be read, every one may be.
func isLocal(a netip.Addr) bool {
	if a.IsLoopback() {
		return true
	}
	have, err := net.InterfaceAddrs() // read again each time, because addresses change
	return err != nil || slices.ContainsFunc(have, func(i net.Addr) bool {
		prefix, err := netip.ParsePrefix(i.String())
		return err == nil && plain(prefix.Addr()) == a
	})
}

func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
