package sett

import (
	"net/mail"
	"strings"
	"testing"
	"testing/quick"
)

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	const wrong = "email must be an email address such as you@example.org"
	for address, want := range map[string]string{
		"ann@example.org": "", "Ann.O'Neil+sett_1@Mail.example.org": "", "ann@localhost": "", "a@x_y.org": "", "jörg@bücher.example": "", "a@192.0.2.1": "", "#!$%&'*+-/=?^_`{|}~@x.org": "",
		strings.Repeat("a", 252) + "@b":        "",
		strings.Repeat("a", 253) + "@b":        "email is too long (maximum is 254 characters)",
		"ann\u202e@example.org":                wrong + "; email must not contain characters that change the direction of the text",
		"ann@example.org\r\nBcc:b@example.org": wrong + "; email must not contain control characters",
		"a\r@x.org":                            wrong + "; email must not contain control characters",
		"a\xff@x.org":                          wrong + "; email must be UTF-8",
	} {
		var p Problems
		if CheckEmail(&p, "email", address); strings.Join(p, "; ") != want {
			t.Errorf("%q: %q, want %q", address, p, want)
		}
	}
	for _, address := range []string{
		"", "ann", "@example.org", "ann@", "ann@example@org", "ann @example.org", "<b@x.org>", ">a@x.org", "Ann <a@x.org>", "a@x..org", "a@x.org.", "a@.x.org",
		"a..b@x.org", ".a@x.org", "a.@x.org", "a@b,c", "a,b@x.org", "a;b@x.org", "a:b@x.org", "a@-x.org", "a@x-.org", "a\u200b@x.org", "a@x\u200b.org",
		"a\ufeff@x.org", "a\ufe0f@x.org", "a\u00a0@x.org", `"a b"@x.org`, `a\b@x.org`, "a(b)@x.org", "a@[192.0.2.1]", "a[b]@x.org", "a\u2028@x.org", "a😀@x.org", "a@" + strings.Repeat("b", 64),
	} {
		var p Problems
		if CheckEmail(&p, "email", address); len(p) == 0 || p[0] != wrong {
			t.Errorf("%q: %q", address, p)
		}
	}
}

// What is taken for an address is one for whatever sends mail to it, as it is.
func TestAddressesCanBeWrittenTo(t *testing.T) {
	t.Parallel()
	taken := 0
	sound := func(choice []byte) bool {
		var b strings.Builder
		for _, c := range choice {
			const parts = "aZ9ö@@..--_+<>,;:()[] \"\\%'\r\n\x00\u200b\u0301\u202e\ufffd\xff"
			b.WriteByte(parts[int(c)%len(parts)])
		}
		for _, address := range []string{b.String(), b.String() + "@x.org", "a@" + b.String(), "a@x" + b.String() + "y"} {
			var p Problems
			if CheckEmail(&p, "email", address); len(p) > 0 {
				continue
			}
			taken++
			if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address || parsed.Name != "" {
				t.Logf("%q is taken and is none: %v, %v", address, parsed, err)
				return false
			}
		}
		return true
	}
	if err := quick.Check(func(choice [6]byte) bool { return sound(choice[:choice[0]%6]) }, &quick.Config{MaxCount: 20_000}); err != nil || taken < 100 {
		t.Errorf("%d were taken: %v", taken, err)
	}
}

func TestHostsThatDNSCannotKnow(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	const dots, hyphens = "must name a host with something between its dots", "must name a host whose parts are more than hyphens"
	const parts, whole = "must name a host with at most 63 characters between its dots", "must name a host of at most 253 characters"
	for host, want := range map[string]string{
		"..": dots, ".": dots, "a..b": dots, ".a": dots, "a..": dots,
		"-": hyphens, "a.--.b": hyphens,
		label + "a": parts, strings.Repeat("ü", 64) + ".test": parts,
		strings.Repeat(label+".", 3) + label[:62]: whole,

		strings.Repeat(label+".", 3) + label[:61]: "", strings.Repeat(label+".", 3) + label[:61] + ".": "",
		"localhost": "", "shop.example.org.": "", "_dmarc.a_b.test": "", "_": "", "-a.test": "", "a-.test": "", "xn--bcher-kva.test": "",
		"bücher.test": "", strings.Repeat("ü", 63) + ".test": "", "127.0.0.1": "", "::1": "", "fe80::1%eth0": "", "::ffff:1.2.3.4": "",
	} {
		if got := HostProblem(host); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}
