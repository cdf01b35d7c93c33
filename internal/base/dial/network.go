package dial

import "net/netip"

// network is a range of addresses and what they are.
type network struct {
	netip.Prefix
	kind string
}

// forbidden are the networks that are blocked unless allowed; the first one that contains an address names its kind. Private
// networks are not among them, because operators monitor services in their own network.
var forbidden = []network{
	{netip.MustParsePrefix("169.254.169.254/32"), metadata},     // AWS, Azure, Google and most others
	{netip.MustParsePrefix("100.100.100.200/32"), metadata},     // Alibaba
	{netip.MustParsePrefix("168.63.129.16/32"), metadata},       // Azure, WireServer
	{netip.MustParsePrefix("192.0.0.192/32"), metadata},         // Oracle Classic
	{netip.MustParsePrefix("fd00:ec2::/32"), metadata},          // AWS: ::254, for EKS ::23
	{netip.MustParsePrefix("fd20:ce::254/128"), metadata},       // Google
	{netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), metadata}, // Oracle
	{netip.MustParsePrefix("fd00:a9fe:a9fe::1/128"), metadata},  // Akamai
	{netip.MustParsePrefix("fd00:42::42/128"), metadata},        // Scaleway
	{netip.MustParsePrefix("fd00:100::100:200/128"), metadata},  // Alibaba

	{netip.MustParsePrefix("0.0.0.0/32"), "the unspecified address"},
	{netip.MustParsePrefix("0.0.0.0/8"), "an address without a network"}, // RFC 791 §3.2
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("255.255.255.255/32"), "the broadcast address"},

	{netip.MustParsePrefix("::/128"), "the unspecified address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},

	// The real targets of these are not known from the address.
	{netip.MustParsePrefix("::/96"), "an obsolete IPv4-compatible address"},       // RFC 4291 §2.5.5.1
	{netip.MustParsePrefix("2001::/32"), "an address of a Teredo tunnel"},         // RFC 4380
	{netip.MustParsePrefix("64:ff9b:1::/48"), "an address of a local translator"}, // RFC 8215
}

// private are the networks that only those inside reach.
var private = []network{
	{netip.MustParsePrefix("10.0.0.0/8"), privateKind},
	{netip.MustParsePrefix("172.16.0.0/12"), privateKind},
	{netip.MustParsePrefix("192.168.0.0/16"), privateKind}, // RFC 1918
	{netip.MustParsePrefix("100.64.0.0/10"), privateKind},  // RFC 6598, of providers and of overlay networks
	{netip.MustParsePrefix("fc00::/7"), privateKind},       // RFC 4193
	{netip.MustParsePrefix("fec0::/10"), privateKind},      // RFC 3879, deprecated and still routed by some
	{netip.MustParsePrefix("192.0.0.0/24"), "a protocol assignment address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmarking address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
}

const privateKind = "an address of a private network"

// notPublic are the other networks of the registries of special-purpose addresses (RFC 6890) that the internet does not
// lead to. A Policy for public addresses refuses them, and private, and all that forbidden has.
var notPublic = []network{
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address"}, // RFC 5737
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "an address of a 6to4 relay"}, // RFC 7526

	{netip.MustParsePrefix("2001::/23"), "a protocol assignment address"},     // RFC 2928; Teredo and benchmarks are in it
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address"},       // RFC 3849
	{netip.MustParsePrefix("3fff::/20"), "a documentation address"},           // RFC 9637
	{netip.MustParsePrefix("2002::/16"), "an address of a 6to4 tunnel"},       // RFC 7526
	{netip.MustParsePrefix("3ffe::/16"), "an address of an old test network"}, // RFC 3701
}

// nat64 is the network whose addresses are as public as the IPv4 address inside them (RFC 6052), and unicast the only one
// that public IPv6 addresses are given out of (RFC 3513).
var (
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	unicast = netip.MustParsePrefix("2000::/3")
)

// isNotPublic returns the network for which an address is not one of the public internet.
func isNotPublic(a netip.Addr) (network, bool) {
	for _, networks := range [][]network{private, notPublic} {
		for _, n := range networks {
			if n.Contains(a) {
				return n, true
			}
		}
	}
	if a.Is6() && !unicast.Contains(a) && !nat64.Contains(a) {
		return network{netip.PrefixFrom(a, a.BitLen()), "an unassigned address"}, true
	}
	return network{}, false
}

const metadata = "a cloud metadata service"

// translated are the networks whose addresses hold an IPv4 address, from the byte at.
var translated = []struct {
	netip.Prefix
	at int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64, RFC 6052 §2.1
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated, RFC 2765 §2.1
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4, RFC 3056 §2
}

// leadsTo returns where a connection to a ends when that is elsewhere: at the IPv4 address inside it, or, for the
// unspecified addresses, at this machine.
func leadsTo(a netip.Addr) (netip.Addr, bool) {
	switch a {
	case netip.IPv4Unspecified():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	case netip.IPv6Unspecified():
		return netip.IPv6Loopback(), true
	}
	for _, t := range translated {
		if t.Contains(a) {
			b := a.As16()
			return netip.AddrFrom4([4]byte(b[t.at:])), true
		}
	}
	return netip.Addr{}, false
}

// narrowest returns the smallest of the networks that have the address, or the zero Prefix.
func narrowest(networks []netip.Prefix, a netip.Addr) (found netip.Prefix) {
	for _, n := range networks {
		if n = Unmapped(n); n.Contains(a) && n.Bits() > found.Bits() {
			found = n
		}
	}
	return found
}

// Unmapped writes ::ffff:10.0.0.0/104 as 10.0.0.0/8; Contains keeps the two apart.
func Unmapped(n netip.Prefix) netip.Prefix {
	if a := n.Addr(); a.Is4In6() && n.Bits() >= 96 {
		return netip.PrefixFrom(a.Unmap(), n.Bits()-96)
	}
	return n
}
