package client

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/zalando/go-keyring"
)

// Where a token is kept.
const (
	InKeyring = "keyring" // that of the system, for the user who signed in to it
	InFile    = "file"    // that of the profiles
	Anywhere  = "auto"    // in the keyring if it answers, else in the file
)

// keyringService is what the system's keyring calls the program that its entries are of.
const keyringService = "sett"

// keyringPatience is how long the system's keyring may take. One that is locked asks its user first, and one without a screen never answers.
const keyringPatience = 3 * time.Second

// HasKeyring reports whether a user with these variables can have a keyring. On Linux and its like it is behind a session bus, and where there
// is none, looking for it would start one.
func HasKeyring(system string, variable func(string) string) bool {
	switch system {
	case "darwin", "windows":
		return true
	}
	if variable("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := variable("XDG_RUNTIME_DIR")
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return filepath.IsAbs(dir) && err == nil
}

// entry is the name in the keyring of the token of a profile: two directories of profiles do not share one.
func (p *Profiles) entry(name string) string { return name + " of " + p.path }

// inKeyring does something with the keyring, and waits no longer than it may take.
func (p *Profiles) inKeyring(do func() (string, error)) (string, error) {
	if !p.keyring {
		return "", errors.New("this session has no keyring")
	}
	type answer struct {
		token string
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		token, err := do()
		done <- answer{token, err}
	}()
	select {
	case a := <-done:
		if a.err != nil {
			return "", fmt.Errorf("the system's keyring refused: %w", a.err)
		}
		return a.token, nil
	case <-time.After(keyringPatience):
		return "", fmt.Errorf("the system's keyring did not answer within %s", keyringPatience)
	}
}

// TokenOf returns the token of a profile, from where it is kept.
func (p *Profiles) TokenOf(name string) (string, error) {
	of := p.All[name]
	if of.Kept != InKeyring {
		return of.Token, nil
	}
	token, err := p.inKeyring(func() (string, error) { return keyring.Get(keyringService, p.entry(name)) })
	if err != nil {
		return "", NotSignedIn{fmt.Errorf("the token of the profile %s cannot be read: %w; unlock the keyring, set SETT_AUTH_TOKEN, or run sett login %s --token-store file", name, err, of.Server)}
	}
	return token, nil
}

// keep stores the token of a profile where that is wanted, and returns the profile as the file has it, and in words where the token is.
func (p *Profiles) keep(name string, of Profile, where string) (Profile, string, error) {
	because := ""
	if where != InFile {
		_, err := p.inKeyring(func() (string, error) { return "", keyring.Set(keyringService, p.entry(name), of.Token) })
		if err == nil {
			return Profile{Server: of.Server, Kept: InKeyring}, "in the keyring of this system", nil
		}
		if where == InKeyring {
			return of, "", fmt.Errorf("the token cannot be kept: %w; unlock the keyring, or use --token-store file", err)
		}
		because = " (" + err.Error() + ")"
	} else if err := p.drop(name); err != nil {
		because = " (an earlier one is still in the keyring: " + err.Error() + ")"
	}
	return of, "in the file " + p.path + ", which only you can read" + because, nil
}

// drop deletes the token of a profile from the keyring, if it is there.
func (p *Profiles) drop(name string) error {
	if p.All[name].Kept != InKeyring {
		return nil
	}
	_, err := p.inKeyring(func() (string, error) { return "", keyring.Delete(keyringService, p.entry(name)) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
