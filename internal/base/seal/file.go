package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fileHead is the beginning of every file of keys.
const fileHead = `# The secret keys of sett, which decrypt the secrets in its database. The first one is the newest.
# Keep a copy of this file, separate from backups of the database. Do not let anyone else read it.
`

// ReadFile returns the keys of a file. The error is fs.ErrNotExist if the file does not exist.
func ReadFile(name string) (Ring, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read secret key: %w", err)
	}
	ring, err := ParseRing(string(text))
	if err != nil {
		return nil, fmt.Errorf("the secret key file %s cannot be used: %w", name, err)
	}
	return ring, nil
}

// CreateFile makes a file with one new key, which only its owner can read. A file that is there already is not touched: the
// error is fs.ErrExist.
func CreateFile(name string) (Ring, error) {
	ring := Ring{NewKey()}
	unfinished, err := write(name, ring)
	if err != nil {
		return nil, err
	}
	defer os.Remove(unfinished)
	err = os.Link(unfinished, name)
	if _, there := os.Lstat(name); err != nil && Missing(there) {
		err = os.Rename(unfinished, name) // a file system without links
	}
	if err != nil {
		return nil, fmt.Errorf("make secret key file: %w", err)
	}
	return ring, syncDir(filepath.Dir(name))
}

// WriteFile replaces the keys of a file: it has the old ones or the new ones, whatever happens.
func WriteFile(name string, ring Ring) error {
	unfinished, err := write(name, ring)
	if err != nil {
		return err
	}
	if err := os.Rename(unfinished, name); err != nil {
		return errors.Join(fmt.Errorf("replace secret key file: %w", err), os.Remove(unfinished))
	}
	return syncDir(filepath.Dir(name))
}

// write writes keys to a file beside the named one and returns its name.
func write(name string, ring Ring) (unfinished string, err error) {
	var text strings.Builder
	text.WriteString(fileHead)
	for _, k := range ring {
		text.WriteString(k.text + "\n")
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".sett-key-*") // mode 0600
	if err != nil {
		return "", fmt.Errorf("write secret key: %w", err)
	}
	_, err = f.WriteString(text.String())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write secret key: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open directory of secret key: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Readable reports whether others than its owner and group can read a file, or change it.
func Readable(name string) (bool, error) {
	info, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	return info.Mode()&0o027 != 0, nil
}

// Missing reports whether an error means that the file does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
