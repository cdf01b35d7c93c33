// Package dial makes the connections that outsiders can request – checks, webhooks, sign-in – and blocks forbidden networks. It takes a
// host name and a Policy, and returns a connection or a *ForbiddenError. The decision is made on the IP address that is about to be
// connected to, after name resolution, so that no spelling of a host and no changing DNS answer can bypass it. It never decides by name,
// and connects only by TCP and UDP.
package dial

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// patience is how long a connection may take to make when its context says nothing shorter.
const patience = 30 * time.Second

// Dialer makes connections that its Policy allows.
type Dialer struct {
	policy Policy
	own    *Own
	header [2]string // name and value that requests of a Client carry; the name is "" for none
	net    net.Dialer
}

// Option changes how a Dialer is built.
type Option func(*Dialer)

// WithResolver makes the Dialer ask r for addresses instead of the system.
func WithResolver(r *net.Resolver) Option { return func(d *Dialer) { d.net.Resolver = r } }

// Except makes the Dialer refuse what this program itself listens at, whatever the Policy says.
func Except(own *Own) Option { return func(d *Dialer) { d.own = own } }

// WithHeader makes every request of the Dialer's Clients carry a header, in place of one of that name.
func WithHeader(name, value string) Option {
	return func(d *Dialer) { d.header = [2]string{name, value} }
}

// New returns a Dialer for the policy.
func New(p Policy, options ...Option) *Dialer {
	d := &Dialer{policy: p}
	d.policy.Allow, d.policy.Deny = slices.Clone(p.Allow), slices.Clone(p.Deny)
	d.net = net.Dialer{Timeout: patience, ControlContext: d.control}
	for _, o := range options {
		o(d)
	}
	return d
}

// DialContext connects like net.Dialer.DialContext, but to allowed addresses only; of a name with several, it tries
// those. When all are forbidden, the error wraps a *ForbiddenError.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return d.net.DialContext(ctx, network, addr)
}

// control is called with each address that a name has, between making the socket and connecting it.
func (d *Dialer) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil { // a file's path, a raw IP socket, or no host
		return fmt.Errorf("%s %q is not an IP address with a port", network, address)
	}
	if err := d.own.check(to); err != nil {
		return err
	}
	return d.policy.Check(to.Addr())
}
