package dial

import (
	"cmp"
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// addresses4 draws from few bytes, so that networks and addresses often meet.
func addresses4() *rapid.Generator[netip.Addr] {
	return rapid.Custom(func(t *rapid.T) netip.Addr {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 10, 127, 169, 254, 255}), 4, 4).Draw(t, "bytes")
		return netip.AddrFrom4([4]byte(b))
	})
}

// networks4 draws networks around addresses4.
func networks4() *rapid.Generator[[]netip.Prefix] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) netip.Prefix {
		return netip.PrefixFrom(addresses4().Draw(t, "address"), rapid.IntRange(0, 32).Draw(t, "bits"))
	}), 0, 4)
}

func policies() *rapid.Generator[Policy] {
	return rapid.Custom(func(t *rapid.T) Policy {
		return Policy{Allow: networks4().Draw(t, "allow"), Deny: networks4().Draw(t, "deny")}
	})
}

func (p Policy) allows(a netip.Addr) bool { return p.Check(a) == nil }

// inOrder is the rule in other words: sort all networks, the narrow and then the denied first; the first hit decides.
func inOrder(p Policy, a netip.Addr) bool {
	type entry struct {
		netip.Prefix
		allow int
	}
	var entries []entry
	for _, n := range p.Deny {
		entries = append(entries, entry{n, 0})
	}
	for _, n := range p.Allow {
		entries = append(entries, entry{n, 1})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.Bits(), a.Bits()), cmp.Compare(a.allow, b.allow))
	})
	for _, e := range entries {
		if e.Contains(a) {
			return e.allow == 1
		}
	}
	return Policy{}.allows(a)
}

func TestCheckIsFirstHitInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, a := policies().Draw(t, "policy"), addresses4().Draw(t, "address")
		want := inOrder(p, a)
		if a == netip.IPv4Unspecified() {
			want = want && inOrder(p, netip.MustParseAddr("127.0.0.1"))
		}
		if got := p.allows(a); got != want {
			t.Errorf("%s: got %t, want %t", a, got, want)
		}
	})
}

func TestWrappingChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, a := policies().Draw(t, "policy"), addresses4().Draw(t, "address")
		for _, wrap := range []struct {
			form string
			at   int
		}{{"::ffff:0:0", 12}, {"::ffff:0:0:0", 12}, {"64:ff9b::", 12}, {"2002::1", 2}} {
			b := netip.MustParseAddr(wrap.form).As16()
			copy(b[wrap.at:], a.AsSlice())
			if wrapped := netip.AddrFrom16(b); p.allows(wrapped) != p.allows(a) {
				t.Errorf("%s: %t, but %s: %t", a, p.allows(a), wrapped, p.allows(wrapped))
			}
		}
	})
}

func TestDenyOnlyTakesAndAllowOnlyGives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, a := policies().Draw(t, "policy"), addresses4().Draw(t, "address")
		more := networks4().Draw(t, "more")
		before := p.allows(a)
		stricter := Policy{Allow: p.Allow, Deny: slices.Concat(p.Deny, more)}
		if !before && stricter.allows(a) {
			t.Errorf("%s is allowed since %s are denied", a, more)
		}
		looser := Policy{Allow: slices.Concat(p.Allow, more), Deny: p.Deny}
		if before && !looser.allows(a) {
			t.Errorf("%s is refused since %s are allowed", a, more)
		}
	})
}
