package client_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"sett/internal/app/client"
)

// profilesIn reads the profiles of a directory again, and the text of their file.
func profilesIn(t *testing.T, dir string, hasKeyring bool) (*client.Profiles, string) {
	t.Helper()
	p, err := client.ReadProfiles(dir, hasKeyring)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "profiles.json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return p, string(text)
}

// The library's mock is one for the whole process, so this is one test that runs alone.
func TestTokensAreInTheKeyringOrInTheFile(t *testing.T) { //nolint:paralleltest // as above
	dir, server := t.TempDir(), "https://sett.example.org"
	set := func(hasKeyring bool, name, token, where, wantPlace string) {
		t.Helper()
		p, _ := profilesIn(t, dir, hasKeyring)
		place, err := p.Set(name, client.Profile{Server: server, Token: token}, where)
		if err != nil || !strings.Contains(place, wantPlace) {
			t.Errorf("place %q, %v; want %q", place, err, wantPlace)
		}
		p, text := profilesIn(t, dir, hasKeyring)
		if got, err := p.TokenOf(name); got != token || err != nil {
			t.Errorf("token %q, %v", got, err)
		}
		if strings.Contains(text, token) == strings.Contains(place, "keyring of") {
			t.Errorf("%s, and the file is\n%s", place, text)
		}
	}
	keyring.MockInit()
	set(true, "a", "first", client.Anywhere, "keyring of this system")
	set(true, "b", "second", client.InKeyring, "keyring of this system")
	set(true, "a", "third", client.InFile, "profiles.json, which only you can read")
	if _, err := keyring.Get("sett", "a of "+filepath.Join(dir, "profiles.json")); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the keyring still has the first token: %v", err)
	}
	set(false, "c", "fourth", client.Anywhere, "this session has no keyring")

	p, _ := profilesIn(t, dir, false) // as after ssh
	if token, err := p.TokenOf("b"); token != "" || !errors.As(err, new(client.NotSignedIn)) || !strings.Contains(err.Error(), "--token-store file") {
		t.Errorf("without the keyring: %q, %v", token, err)
	}
	p, _ = profilesIn(t, dir, true)
	if err := p.Remove("b"); err != nil {
		t.Error(err)
	}
	if _, err := keyring.Get("sett", "b of "+filepath.Join(dir, "profiles.json")); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("after logout the keyring has the token: %v", err)
	}

	set(true, "d", "fifth", client.InKeyring, "keyring of this system")
	keyring.MockInitWithError(errors.New("locked"))
	set(true, "e", "sixth", client.Anywhere, "locked")
	p, _ = profilesIn(t, dir, true)
	if _, err := p.Set("f", client.Profile{Server: server, Token: "seventh"}, client.InKeyring); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("a keyring that is demanded and locked: %v", err)
	}
	if err := p.Remove("d"); err == nil || !strings.Contains(err.Error(), "still in the keyring") {
		t.Errorf("a token that stays in the keyring: %v", err)
	}
	if p, _ = profilesIn(t, dir, true); p.All["d"].Server != "" || p.All["e"].Token != "sixth" {
		t.Errorf("the profiles are %+v", p.All)
	}
}

func TestAKeyringNeedsASessionBus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runtime := func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": dir}[name] }
	none := func(string) string { return "" }
	if client.HasKeyring("linux", none) || client.HasKeyring("linux", runtime) || !client.HasKeyring("darwin", none) {
		t.Error("a keyring where there is none, or none where there is one")
	}
	if err := os.WriteFile(filepath.Join(dir, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !client.HasKeyring("linux", runtime) || !client.HasKeyring("linux", func(string) string { return "unix:path=/x" }) {
		t.Error("no keyring beside a session bus")
	}
}
