package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// UsualProfile is the name of a profile that was given none.
const UsualProfile = "default"

// Profile is a server and the personal token of a user there.
type Profile struct {
	Server string `json:"server"`
	Token  string `json:"token,omitempty"` // "" if it is kept elsewhere; see TokenOf
	Kept   string `json:"kept,omitempty"`  // InKeyring, or "" for this file
}

// Profiles are those of a user on this machine. Current is the one that commands use when none is named.
type Profiles struct {
	Current string             `json:"current"`
	All     map[string]Profile `json:"profiles"`
	path    string
	keyring bool
}

// longestProfiles is how much of the file is read, in bytes.
const longestProfiles = 1 << 20

// ReadProfiles reads the profiles that a directory has; none if there is no file, or if the directory is "". The keyring is asked only if there
// can be one; see HasKeyring.
func ReadProfiles(dir string, keyring bool) (*Profiles, error) {
	p := &Profiles{All: map[string]Profile{}, keyring: keyring}
	if dir == "" {
		return p, nil
	}
	p.path = filepath.Join(dir, "profiles.json")
	info, err := os.Stat(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil && info.Size() > longestProfiles {
		err = errors.New("it is too large")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(p.path)
	}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil {
		return nil, fmt.Errorf("the profiles in %s cannot be read: %v; correct or delete the file, then run sett login", p.path, err) //nolint:errorlint // an error of a path would be explained as one of the data directory
	}
	if p.All == nil {
		p.All = map[string]Profile{}
	}
	return p, nil
}

// Named returns the profile of a name, or the current one for "". Without any, it is empty; a name that is not known is an error.
func (p *Profiles) Named(name string) (string, Profile, error) {
	asked := name
	if name == "" {
		name = p.Current
	}
	found, known := p.All[name]
	if asked != "" && !known {
		return name, found, fmt.Errorf("there is no profile %q; sett login --profile makes it. %s", asked, p.names())
	}
	return name, found, nil
}

func (p *Profiles) names() string {
	if len(p.All) == 0 {
		return "You have none."
	}
	return "You have " + strings.Join(slices.Sorted(maps.Keys(p.All)), ", ") + "."
}

// Set keeps a profile under a name, and makes it the current one. Its token goes where that is wanted: InKeyring, InFile or Anywhere. It
// returns where that is, in words.
func (p *Profiles) Set(name string, of Profile, where string) (place string, err error) {
	of, place, err = p.keep(name, of, where)
	if err != nil {
		return "", err
	}
	p.Current, p.All[name] = name, of
	return place, p.save()
}

// Remove forgets a profile and its token. The first one of the others becomes the current one, if that was removed.
func (p *Profiles) Remove(name string) error {
	dropped := p.drop(name)
	delete(p.All, name)
	if p.Current == name {
		p.Current = ""
		if left := slices.Sorted(maps.Keys(p.All)); len(left) > 0 {
			p.Current = left[0]
		}
	}
	if err := p.save(); err != nil {
		return err
	}
	if dropped != nil {
		return fmt.Errorf("the profile %s is deleted, and its token is still in the keyring: %w; delete it there, and revoke it on the page /me/tokens of the server", name, dropped)
	}
	return nil
}

// save writes the file whole or not at all, for this user alone.
func (p *Profiles) save() error {
	err := p.write()
	if err != nil {
		return fmt.Errorf("the profiles cannot be stored: %v; make the directory of %s writable, or set XDG_CONFIG_HOME to another one", err, p.path) //nolint:errorlint // as above
	}
	return nil
}

func (p *Profiles) write() error {
	if p.path == "" {
		return errors.New("this user has no home directory")
	}
	dir := filepath.Dir(p.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".profiles-*") // which makes it 0600
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), p.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
