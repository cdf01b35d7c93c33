package repo_test

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/repo"
)

func TestRepositoriesAreKnownByAnyAddress(t *testing.T) {
	t.Parallel()
	r := repo.Repository{URL: "https://github.com/acme/shop"}
	for address, want := range map[string]bool{
		"git@github.com:acme/shop.git": true, "github.com:/acme/shop": true, "ssh://git@github.com:22/Acme/Shop.git": true, "https://github.com/acme/shop/": true,
		"git@github.com:acme/shop2.git": false, "https://github.com/acme": false, "": false, "javascript:alert(1)//https://": false, "acme:": false,
	} {
		if r.IsAt(address) != want {
			t.Errorf("%q: %v, want %v", address, !want, want)
		}
	}
}

// What reads a stored token at another server would get it, so the token must be entered again.
func TestTokenIsForItsServer(t *testing.T) {
	t.Parallel()
	stored := repo.Repository{URL: "https://github.com/acme/shop", Host: repo.GitHub, Token: "t0ken"}
	for address, want := range map[string]bool{"https://github.com/acme/shop2": true, "https://GitHub.com/acme/shop": true, "https://evil.example.test/acme/shop": false, "http://github.com/acme/shop": false} {
		if _, err := (repo.RepositoryChange{URL: sett.Some(address)}).Apply(stored); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	moved, err := repo.RepositoryChange{URL: sett.Some("https://evil.example.test/acme/shop"), Token: sett.Some("new")}.Apply(stored)
	if err != nil || moved.Token != "new" {
		t.Errorf("%+v %v", moved, err)
	}
	moved, err = repo.RepositoryChange{URL: sett.Some("https://evil.example.test/acme/shop"), Token: sett.Optional[string]{Sent: true, Null: true}}.Apply(stored)
	if err != nil || moved.Token != "" {
		t.Errorf("%+v %v", moved, err)
	}
}
