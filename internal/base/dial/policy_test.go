package dial

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func networks(texts ...string) (ns []netip.Prefix) {
	for _, text := range texts {
		ns = append(ns, netip.MustParsePrefix(text))
	}
	return ns
}

func TestCheckByDefault(t *testing.T) {
	t.Parallel()
	for addr, kind := range map[string]string{
		"127.0.0.1":                "a loopback address",
		"127.255.255.255":          "a loopback address",
		"::1":                      "a loopback address",
		"::ffff:127.0.0.1":         "a loopback address",
		"::ffff:0:127.0.0.1":       "a loopback address",
		"64:ff9b::127.0.0.1":       "a loopback address",
		"2002:7f00:1::":            "a loopback address",
		"2002:7f00:1:ffff::1":      "a loopback address",
		"169.254.0.1":              "a link-local address",
		"169.254.170.2":            "a link-local address",
		"fe80::1":                  "a link-local address",
		"fe80::1%eth0":             "a link-local address",
		"febf::1":                  "a link-local address",
		"64:ff9b::169.254.0.1":     "a link-local address",
		"0.0.0.0":                  "the unspecified address",
		"::":                       "the unspecified address",
		"::ffff:0.0.0.0":           "the unspecified address",
		"64:ff9b::":                "the unspecified address",
		"0.1.2.3":                  "an address without a network",
		"224.0.0.1":                "a multicast address",
		"239.255.255.255":          "a multicast address",
		"ff02::1":                  "a multicast address",
		"ff02::1%2":                "a multicast address",
		"2002:e000:1::":            "a multicast address",
		"255.255.255.255":          "the broadcast address",
		"169.254.169.254":          metadata,
		"::ffff:169.254.169.254":   metadata,
		"64:ff9b::169.254.169.254": metadata,
		"2002:a9fe:a9fe::1":        metadata,
		"100.100.100.200":          metadata,
		"168.63.129.16":            metadata,
		"192.0.0.192":              metadata,
		"fd00:ec2::254":            metadata,
		"fd00:ec2::23":             metadata,
		"fd20:ce::254":             metadata,
		"fd00:c1::a9fe:a9fe":       metadata,
		"fd00:a9fe:a9fe::1":        metadata,
		"fd00:42::42":              metadata,
		"fd00:100::100:200":        metadata,
		"::127.0.0.1":              "an obsolete IPv4-compatible address",
		"::8.8.8.8":                "an obsolete IPv4-compatible address",
		"2001:0:1234::1":           "an address of a Teredo tunnel",
		"64:ff9b:1::808:808":       "an address of a local translator",

		"8.8.8.8":            "",
		"::ffff:8.8.8.8":     "",
		"::ffff:0:8.8.8.8":   "",
		"64:ff9b::8.8.8.8":   "",
		"2002:808:808::1":    "",
		"2606:4700::1111":    "",
		"2001:4860:4860::88": "",
		"10.0.0.1":           "",
		"172.16.0.1":         "",
		"192.168.1.1":        "",
		"100.64.0.1":         "",
		"fd12:3456::1":       "",
		"64:ff9b::10.0.0.1":  "",
		"126.255.255.255":    "",
		"128.0.0.1":          "",
		"169.253.255.255":    "",
		"169.255.0.0":        "",
		"1.0.0.0":            "",
		"223.255.255.255":    "",
		"240.0.0.1":          "",
		"fe7f::1":            "",
		"fec0::1":            "",
		"::1:0:0":            "",
	} {
		got := ""
		if err := (Policy{}).Check(netip.MustParseAddr(addr)); err != nil {
			forbidden, ok := errors.AsType[*ForbiddenError](err)
			if !ok {
				t.Fatalf("%s: %v", addr, err)
			}
			got = forbidden.Kind
		}
		if got != kind {
			t.Errorf("%s: got %q, want %q", addr, got, kind)
		}
	}
}

func TestCheckPolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		allow, deny []netip.Prefix
		may, mayNot []string
	}{
		{
			name: "allow wins over what is forbidden from the start", allow: networks("127.0.0.1/32", "fe80::/64"),
			may:    []string{"127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "fe80::1", "fe80::1%eth0"},
			mayNot: []string{"127.0.0.2", "::1", "169.254.169.254", "fe80:1::1"},
		},
		{
			name: "allow all", allow: networks("0.0.0.0/0", "::/0"),
			may: []string{"127.0.0.1", "::1", "0.0.0.0", "::", "169.254.169.254", "fd00:ec2::254", "64:ff9b::7f00:1", "2001::1"},
		},
		{
			name: "deny adds", deny: networks("10.0.0.0/8", "fd00::/8"),
			may:    []string{"11.0.0.1", "192.168.0.1", "64:ff9b::11.0.0.1"},
			mayNot: []string{"10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "2002:a01:203::", "fd00::1", "fd00::1%eth0", "127.0.0.1"},
		},
		{
			name: "the narrowest decides", allow: networks("10.1.0.0/16"), deny: networks("10.0.0.0/8", "10.1.2.0/24"),
			may:    []string{"10.1.0.1", "10.1.3.1", "2002:a01:301::"},
			mayNot: []string{"10.0.0.1", "10.1.2.1", "10.2.0.1", "2002:a01:201::"},
		},
		{
			name: "whatever the order", allow: networks("10.1.2.3/32", "10.0.0.0/8"), deny: networks("10.1.2.0/24", "10.1.0.0/16"),
			may:    []string{"10.1.2.3", "10.2.0.1"},
			mayNot: []string{"10.1.2.4", "10.1.3.1"},
		},
		{
			name: "deny wins a tie", allow: networks("10.0.0.0/8", "127.0.0.1/32"), deny: networks("10.0.0.0/8", "127.0.0.1/32"),
			mayNot: []string{"10.0.0.1", "127.0.0.1"},
		},
		{
			name: "only some", allow: networks("192.168.1.0/24"), deny: networks("0.0.0.0/0", "::/0"),
			may:    []string{"192.168.1.1", "::ffff:192.168.1.1"},
			mayNot: []string{"8.8.8.8", "192.168.2.1", "2606:4700::1111", "64:ff9b::192.168.1.1"},
		},
		{
			name: "both forms are judged", allow: networks("64:ff9b::/96", "2002::/16"), deny: networks("64:ff9b::808:808/128"),
			may:    []string{"64:ff9b::8.8.4.4"},
			mayNot: []string{"64:ff9b::8.8.8.8", "64:ff9b::127.0.0.1", "2002:7f00:1::"},
		},
		{
			name: "the unspecified address is this machine", allow: networks("0.0.0.0/0", "::/0"), deny: networks("127.0.0.0/8", "::1/128"),
			may:    []string{"8.8.8.8"},
			mayNot: []string{"0.0.0.0", "::", "::ffff:0.0.0.0", "64:ff9b::"},
		},
		{
			name: "mapped networks", allow: networks("::ffff:127.0.0.1/128"), deny: networks("::ffff:10.0.0.0/104"),
			may:    []string{"127.0.0.1", "11.0.0.1"},
			mayNot: []string{"10.1.2.3", "::ffff:10.1.2.3"},
		},
		{
			name: "networks with a host in them", deny: networks("10.1.2.3/8"),
			mayNot: []string{"10.0.0.1"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := Policy{Allow: tt.allow, Deny: tt.deny}
			for _, addr := range tt.may {
				if err := p.Check(netip.MustParseAddr(addr)); err != nil {
					t.Errorf("%s is refused: %v", addr, err)
				}
			}
			for _, addr := range tt.mayNot {
				if _, ok := errors.AsType[*ForbiddenError](p.Check(netip.MustParseAddr(addr))); !ok {
					t.Errorf("%s may be reached", addr)
				}
			}
		})
	}
}

func TestCheckNoAddress(t *testing.T) {
	t.Parallel()
	if err := (Policy{Allow: networks("0.0.0.0/0", "::/0")}).Check(netip.Addr{}); err == nil {
		t.Error("no address may be reached")
	}
}

func TestForbiddenError(t *testing.T) {
	t.Parallel()
	p := Policy{Deny: networks("10.1.2.3/8", "8.8.8.8/32", "2002::/16")}
	for _, tt := range []struct {
		addr, target, network, kind, text string
	}{
		{
			"127.0.0.1", "127.0.0.1", "127.0.0.0/8", "a loopback address",
			"connections to 127.0.0.1, a loopback address, are not allowed; " +
				"to allow it, add 127.0.0.1 to SETT_EGRESS_ALLOW and restart the server",
		},
		{
			"64:ff9b::169.254.169.254", "169.254.169.254", "169.254.169.254/32", metadata,
			"connections to 64:ff9b::a9fe:a9fe (169.254.169.254), a cloud metadata service, are not allowed; " +
				"to allow it, add 169.254.169.254 to SETT_EGRESS_ALLOW and restart the server",
		},
		{
			"::ffff:10.0.0.9", "10.0.0.9", "10.0.0.0/8", "",
			"connections to 10.0.0.9 are not allowed, because SETT_EGRESS_DENY lists 10.0.0.0/8; " +
				"to allow it, add 10.0.0.9 to SETT_EGRESS_ALLOW and restart the server",
		},
		{
			"64:ff9b::10.0.0.9", "10.0.0.9", "10.0.0.0/8", "",
			"connections to 64:ff9b::a00:9 (10.0.0.9) are not allowed, because SETT_EGRESS_DENY lists 10.0.0.0/8; " +
				"to allow it, add 10.0.0.9 to SETT_EGRESS_ALLOW and restart the server",
		},
		{
			"8.8.8.8", "8.8.8.8", "8.8.8.8/32", "",
			"connections to 8.8.8.8 are not allowed; " +
				"to allow it, remove 8.8.8.8 from SETT_EGRESS_DENY and restart the server",
		},
		{
			"2002:808:404::", "2002:808:404::", "2002::/16", "",
			"connections to 2002:808:404:: are not allowed, because SETT_EGRESS_DENY lists 2002::/16; " +
				"to allow it, add 2002:808:404:: to SETT_EGRESS_ALLOW and restart the server",
		},
	} {
		err := p.Check(netip.MustParseAddr(tt.addr))
		want := &ForbiddenError{
			Addr: netip.MustParseAddr(tt.addr).Unmap(), Target: netip.MustParseAddr(tt.target),
			Network: netip.MustParsePrefix(tt.network), Kind: tt.kind,
		}
		got, _ := errors.AsType[*ForbiddenError](err)
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{})); diff != "" {
			t.Errorf("%s: %s", tt.addr, diff)
			continue
		}
		if diff := cmp.Diff(tt.text, err.Error()); diff != "" {
			t.Errorf("%s: %s", tt.addr, diff)
		}
	}
}

func TestInside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		allow, addr string
		want        bool
	}{
		{"", "10.0.0.1", true},
		{"", "172.31.255.255", true},
		{"", "172.32.0.1", false},
		{"", "192.168.0.1", true},
		{"", "100.64.0.1", true},
		{"", "fd00::1", true},
		{"", "fe80::1%eth0", false},
		{"", "::ffff:10.0.0.1", true},
		{"", "64:ff9b::a00:1", true},
		{"", "2002:a00:1::", true},
		{"", "198.51.100.7", false},
		{"", "127.0.0.1", false},
		{"10.0.0.0/8", "10.0.0.1", false},
		{"10.0.0.0/8", "64:ff9b::a00:1", false},
		{"10.0.0.0/24", "10.0.1.1", true},
		{"::ffff:10.0.0.0/104", "10.0.1.1", false},
		{"fd00::/16", "fd00::1", false},
		{"0.0.0.0/0", "192.168.0.1", false},
	} {
		var p Policy
		if c.allow != "" {
			p.Allow = networks(c.allow)
		}
		if got := p.Inside(netip.MustParseAddr(c.addr)); got != c.want {
			t.Errorf("%s with %q allowed: inside %v", c.addr, c.allow, got)
		}
	}
}

// notPublicAddresses lead to no machine of the public internet, or may lead to another than they seem to.
var notPublicAddresses = []string{
	"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254",
	"0.0.0.0", "0.1.2.3", "192.0.0.1", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "192.88.99.1",
	"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
	"::", "::1", "::10.0.0.1", "::8.8.8.8", "::ffff:10.0.0.1", "::ffff:100.64.0.1", "::ffff:127.0.0.1", "::ffff:0:10.0.0.1", "::ffff:0:8.8.8.8",
	"fd00::1", "fc00::1", "fdff:ffff::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
	"64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::127.0.0.1", "64:ff9b::192.0.2.1", "64:ff9b:1::a00:1", "64:ff9b:1::808:808",
	"2002:a00:1::", "2002:7f00:1::1", "2002:808:808::1", "2001::1", "2001:0:808:808::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
	"3fff::1", "3ffe::1", "100::1", "5f00::1", "4000::1", "::1:0:0",
}

var publicAddresses = []string{
	"8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1", "198.17.255.255",
	"198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700::1111", "2001:4860:4860::8888", "2a00:1450::1",
}

func TestStrangersReachOnlyPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, settings := range []Policy{{}, {Public: true}, Anywhere(), {Allow: networks("10.0.0.0/8", "::ffff:10.0.0.0/104", "fd00::/8", "127.0.0.1/32")}} {
		p := settings.Strangers()
		for _, addr := range notPublicAddresses {
			err := p.Check(netip.MustParseAddr(addr))
			if e, ok := errors.AsType[*ForbiddenError](err); !ok || !e.Fixed || strings.Contains(err.Error(), "SETT_") {
				t.Errorf("%s with %v: %v", addr, settings, err)
			}
		}
		for _, addr := range publicAddresses {
			if err := p.Check(netip.MustParseAddr(addr)); err != nil {
				t.Errorf("%s with %v: %v", addr, settings, err)
			}
		}
	}
	if err := (Policy{Deny: networks("8.8.8.0/24")}).Strangers().Check(netip.MustParseAddr("8.8.8.8")); err == nil {
		t.Error("what is denied to all is allowed to strangers")
	}
}

func TestPublicPolicy(t *testing.T) {
	t.Parallel()
	p := Policy{Public: true, Allow: networks("10.1.0.0/16"), Deny: networks("10.1.2.0/24", "9.9.9.9/32")}
	for _, addr := range notPublicAddresses {
		if p.Check(netip.MustParseAddr(addr)) == nil {
			t.Errorf("%s may be reached", addr)
		}
	}
	for addr, want := range map[string]bool{"10.1.1.1": true, "10.1.2.1": false, "9.9.9.9": false, "9.9.9.8": true, "64:ff9b::a01:101": true} {
		if got := p.Check(netip.MustParseAddr(addr)) == nil; got != want {
			t.Errorf("%s: %t", addr, got)
		}
	}
}
