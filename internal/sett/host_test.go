package sett

import (
	"strings"
	"testing"
)

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
		if got := hostProblem(host); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}
