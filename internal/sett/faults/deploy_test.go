package faults

import (
	"testing"
	"time"
)

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

func TestDeployedAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	for _, c := range []struct{ said, want time.Time }{
		{time.Time{}, now},
		{now, now},
		{now.Add(-time.Second), now.Add(-time.Second)},
		{now.Add(-24 * time.Hour), now.Add(-24 * time.Hour)},
		{now.Add(-24*time.Hour - time.Second), now},
		{now.Add(time.Second), now},
	} {
		if got := DeployedAt(c.said, now); !got.Equal(c.want) {
			t.Errorf("said %v: %v, want %v", c.said, got, c.want)
		}
	}
}

func TestWithoutPassword(t *testing.T) {
	t.Parallel()
	for repository, want := range map[string]string{
		"https://ci:ghs_secret@github.com/acme/shop.git": "https://github.com/acme/shop.git",
		"http://token@git.example.test:8080":             "http://git.example.test:8080",
		"https://a:p%a@s@git.example.test/x?y=a@b":       "https://git.example.test/x?y=a@b",
		"https://github.com/acme/@scope":                 "https://github.com/acme/@scope",
		"git@github.com:acme/shop.git":                   "git@github.com:acme/shop.git",
		"ssh://git@git.example.test/shop":                "ssh://git@git.example.test/shop",
		"":                                               "",
		"shop":                                           "shop",
	} {
		if got := WithoutPassword(repository); got != want {
			t.Errorf("%q: %q, want %q", repository, got, want)
		}
	}
}

func TestSuspectDeploy(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after    time.Duration // how long after the deploy the first event came
		revision string
		want     bool
	}{
		{time.Minute, "r2", true},
		{time.Minute, "", true},
		{time.Minute, "r1", false},
		{-time.Minute, "r2", false},
		{SuspectFor, "r2", true},
		{SuspectFor + time.Second, "r2", false},
	} {
		if got := (Deploy{Revision: "r2", CreatedAt: at}).Suspect(at.Add(c.after), c.revision); got != c.want {
			t.Errorf("%v after it, from %q: %t", c.after, c.revision, got)
		}
	}
}
