package dial

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
)

// bounds are the first and the last address of each network that is refused or private.
var bounds = [][2]string{
	{"169.254.169.254", "169.254.169.254"},
	{"100.100.100.200", "100.100.100.200"},
	{"168.63.129.16", "168.63.129.16"},
	{"192.0.0.192", "192.0.0.192"},
	{"fd00:ec2::", "fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"fd20:ce::254", "fd20:ce::254"},
	{"fd00:c1::a9fe:a9fe", "fd00:c1::a9fe:a9fe"},
	{"fd00:a9fe:a9fe::1", "fd00:a9fe:a9fe::1"},
	{"fd00:42::42", "fd00:42::42"},
	{"fd00:100::100:200", "fd00:100::100:200"},
	{"0.0.0.0", "0.0.0.0"},
	{"0.0.0.0", "0.255.255.255"},
	{"127.0.0.0", "127.255.255.255"},
	{"169.254.0.0", "169.254.255.255"},
	{"224.0.0.0", "239.255.255.255"},
	{"255.255.255.255", "255.255.255.255"},
	{"::", "::"},
	{"::1", "::1"},
	{"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"::", "::ffff:ffff"},
	{"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"},
	{"10.0.0.0", "10.255.255.255"},
	{"172.16.0.0", "172.31.255.255"},
	{"192.168.0.0", "192.168.255.255"},
	{"100.64.0.0", "100.127.255.255"},
	{"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"192.0.0.0", "192.0.0.255"},
	{"198.18.0.0", "198.19.255.255"},
	{"240.0.0.0", "255.255.255.255"},
	{"192.0.2.0", "192.0.2.255"},
	{"198.51.100.0", "198.51.100.255"},
	{"203.0.113.0", "203.0.113.255"},
	{"192.88.99.0", "192.88.99.255"},
	{"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"3ffe::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
}

// Each network has its first and its last address, and neither the one before nor the one after.
func TestBoundsOfNetworks(t *testing.T) {
	t.Parallel()
	all := slices.Concat(forbidden, private, notPublic)
	if len(all) != len(bounds) {
		t.Fatalf("%d networks have bounds, want all %d", len(bounds), len(all))
	}
	for i, n := range all {
		first, last := netip.MustParseAddr(bounds[i][0]), netip.MustParseAddr(bounds[i][1])
		if n.Masked().Addr() != first || !n.Contains(last) || last.Next().IsValid() && n.Contains(last.Next()) {
			t.Errorf("%s (%s) is not the network from %s to %s", n.Prefix, n.kind, first, last)
		}
	}
	for name, b := range map[netip.Prefix][2]string{nat64: {"64:ff9b::", "64:ff9b::ffff:ffff"}, unicast: {"2000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}} {
		if first, last := netip.MustParseAddr(b[0]), netip.MustParseAddr(b[1]); name.Masked().Addr() != first || !name.Contains(last) || name.Contains(last.Next()) {
			t.Errorf("%s is not the network from %s to %s", name, first, last)
		}
	}
	for at, b := range [][2]string{{"64:ff9b::", "64:ff9b::ffff:ffff"}, {"::ffff:0:0:0", "::ffff:0:ffff:ffff"}, {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}} {
		first, last := netip.MustParseAddr(b[0]), netip.MustParseAddr(b[1])
		if n := translated[at]; n.Masked().Addr() != first || !n.Contains(last) || n.Contains(last.Next()) {
			t.Errorf("%s is not the network from %s to %s", n.Prefix, first, last)
		}
	}
}

// Settings refuse and allow exactly what they name, be it written as IPv4 or as IPv4 within IPv6.
func TestBoundsOfSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network     string
		first, last string
		out         []string
	}{
		{"::ffff:0:0/96", "0.0.0.0", "255.255.255.255", []string{"2606:4700::1111", "::1", "::fffe:ffff:ffff", "::1:0:0:0"}},
		{"::ffff:0:0/97", "0.0.0.0", "127.255.255.255", []string{"128.0.0.0", "::fffe:ffff:ffff"}},
		{"::ffff:8.8.8.8/128", "8.8.8.8", "8.8.8.8", []string{"8.8.8.7", "8.8.8.9"}},
		{"::ffff:10.0.0.0/104", "10.0.0.0", "10.255.255.255", []string{"9.255.255.255", "11.0.0.0"}},
		{"0.0.0.0/0", "0.0.0.0", "255.255.255.255", []string{"2606:4700::1111", "::1"}},
		{"0.0.0.0/1", "0.0.0.0", "127.255.255.255", []string{"128.0.0.0"}},
		{"::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", []string{"8.8.8.8", "0.0.0.1"}},
		{"10.0.0.0/31", "10.0.0.0", "10.0.0.1", []string{"9.255.255.255", "10.0.0.2"}},
		{"10.1.2.3/32", "10.1.2.3", "10.1.2.3", []string{"10.1.2.2", "10.1.2.4"}},
		{"2001:db8::/127", "2001:db8::", "2001:db8::1", []string{"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::2"}},
	} {
		deny := Policy{Allow: networks("0.0.0.0/0", "::/0"), Deny: networks(c.network)}
		allow := Policy{Allow: networks(c.network), Deny: networks("0.0.0.0/0", "::/0")}
		for _, in := range []string{c.first, c.last} {
			a := netip.MustParseAddr(in)
			if _, refused := errors.AsType[*ForbiddenError](deny.Check(a)); !refused {
				t.Errorf("with %s denied, %s may be reached", c.network, a)
			}
			if _, leads := leadsTo(a); allow.Check(a) != nil && !leads && Unmapped(allow.Allow[0]).Bits() > 0 { // of 0 bits, deny wins the tie
				t.Errorf("with %s allowed, %s is refused", c.network, a)
			}
		}
		for _, out := range c.out {
			a := netip.MustParseAddr(out)
			if err := deny.Check(a); err != nil {
				t.Errorf("with %s denied, %s is refused: %v", c.network, a, err)
			}
			if allow.Check(a) == nil {
				t.Errorf("with %s allowed, %s may be reached", c.network, a)
			}
		}
	}
}
