package dial

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// Policy says which addresses may be reached. The narrowest network of Allow and Deny that has an address decides, and
// Deny does when both name the same. What neither has is allowed, unless it is forbidden from the start: loopback,
// link-local, unspecified, multicast and broadcast addresses, and the metadata services of clouds.
//
// An address that stands for another – NAT64 (64:ff9b::/96), 6to4 (2002::/16), 0.0.0.0 – is allowed if both are. An
// IPv4-mapped one (::ffff:0:0/96) is that IPv4 address. Private networks are allowed unless Public says otherwise.
type Policy struct {
	Allow, Deny []netip.Prefix

	Public bool // addresses outside of the public internet are refused too, unless Allow contains them

	Fixed bool // no setting opens what is refused
}

// Strangers returns the Policy for addresses that people give who need not be known: only public ones, whatever else may
// be reached. What p denies stays denied; what p allows does not count.
func (p Policy) Strangers() Policy { return Policy{Deny: p.Deny, Public: true, Fixed: true} }

// Anywhere returns a Policy that refuses nothing. It is for targets that the operator has set, such as their own mail server
// on the same machine.
func Anywhere() Policy {
	return Policy{Allow: []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)}}
}

// Check returns nil when the address may be reached, otherwise a *ForbiddenError.
func (p Policy) Check(addr netip.Addr) error {
	if !addr.IsValid() {
		return errors.New("check address: there is none")
	}
	addr = addr.Unmap().WithZone("") // no network contains an address with a zone
	for target, ok := addr, true; ok; target, ok = leadsTo(target) {
		if network, refused := p.refuses(target); refused {
			return &ForbiddenError{Addr: addr, Target: target, Network: network.Prefix, Kind: network.kind, Fixed: p.Fixed}
		}
	}
	return nil
}

// Inside reports whether the address, or the one that it stands for, is in a private network that Allow does not contain. It
// may be reached, but its responses must not be shown to users who may choose the target.
func (p Policy) Inside(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for target, ok := addr, true; ok; target, ok = leadsTo(target) {
		if isPrivate(target) && !narrowest(p.Allow, target).IsValid() {
			return true
		}
	}
	return false
}

func isPrivate(a netip.Addr) bool {
	return slices.ContainsFunc(private, func(n network) bool { return n.Contains(a) })
}

// refuses returns the network that the address is refused for.
func (p Policy) refuses(a netip.Addr) (network, bool) {
	allow, deny := narrowest(p.Allow, a), narrowest(p.Deny, a)
	switch {
	case deny.IsValid() && deny.Bits() >= allow.Bits(): // of no network, Bits is -1
		return network{Prefix: deny.Masked()}, true
	case allow.IsValid():
		return network{}, false
	}
	for _, n := range forbidden {
		if n.Contains(a) {
			return n, true
		}
	}
	if p.Public {
		return isNotPublic(a)
	}
	return network{}, false
}

// ForbiddenError is a connection that the Policy does not allow. Its text is for the user who chose the target, and says
// what the operator can do about it.
type ForbiddenError struct {
	Addr    netip.Addr   // to which a connection was to be made
	Target  netip.Addr   // where Addr leads to: the IPv4 address inside it, or Addr
	Network netip.Prefix // that has Target and is refused
	Kind    string       // what Network is, as "a loopback address"; empty when the Policy's Deny lists it
	Fixed   bool         // no setting allows it
}

func (e *ForbiddenError) Error() string {
	who := e.Addr.String()
	if e.Target != e.Addr {
		who = fmt.Sprintf("%s (%s)", e.Addr, e.Target)
	}
	switch {
	case e.Fixed && e.Kind == "":
		return fmt.Sprintf("connections to %s are not allowed", who)
	case e.Fixed:
		return fmt.Sprintf("connections to %s, %s, are not allowed; use a public address", who, e.Kind)
	case e.Kind != "":
		return fmt.Sprintf("connections to %s, %s, are not allowed; "+
			"to allow it, add %s to SETT_EGRESS_ALLOW and restart the server", who, e.Kind, e.Target)
	case e.Network.IsSingleIP():
		return fmt.Sprintf("connections to %s are not allowed; "+
			"to allow it, remove %s from SETT_EGRESS_DENY and restart the server", who, e.Target)
	default:
		return fmt.Sprintf("connections to %s are not allowed, because SETT_EGRESS_DENY lists %s; "+
			"to allow it, add %s to SETT_EGRESS_ALLOW and restart the server", who, e.Network, e.Target)
	}
}
