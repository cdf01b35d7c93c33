package sett

import "testing"

func TestCompareURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ repository, previous, revision, want string }{
		{"https://github.com/acme/shop", "aaa", "bbb", "https://github.com/acme/shop/compare/aaa...bbb"},
		{" https://github.com/acme/shop.git/ ", "aaa", "bbb", "https://github.com/acme/shop/compare/aaa...bbb"},
		{"https://github.com/acme/shop.git", "aaa", "bbb", "https://github.com/acme/shop/compare/aaa...bbb"},
		{"https://user:secret@git.example.test:8443/acme/shop?x=1#y", "v1", "v2", "https://git.example.test:8443/acme/shop/compare/v1...v2"},
		{"git@github.com:acme/shop.git", "aaa", "bbb", "https://github.com/acme/shop/compare/aaa...bbb"},
		{"ssh://git@git.example.test:2222/acme/shop.git", "aaa", "bbb", "https://git.example.test/acme/shop/compare/aaa...bbb"},
		{"https://github.com/acme/shop", "release/1", "release/2", "https://github.com/acme/shop/compare/release%2F1...release%2F2"},
		{"https://github.com/acme/shop", "", "bbb", ""},
		{"https://github.com/acme/shop", "aaa", "", ""},
		{"", "aaa", "bbb", ""},
		{"/srv/git/shop", "aaa", "bbb", ""},
		{"javascript:alert(1)", "aaa", "bbb", ""},
		{"file:///srv/git/shop", "aaa", "bbb", ""},
	} {
		d := Deploy{Repository: c.repository, Previous: c.previous, Revision: c.revision}
		if got := d.CompareURL(); got != c.want {
			t.Errorf("%q from %q to %q: %q, want %q", c.repository, c.previous, c.revision, got, c.want)
		}
	}
}
