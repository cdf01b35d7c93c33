package operate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sett/internal/app/backup"
	"sett/internal/base/objects"
	"sett/internal/sett"
)

// backupPlace is where a backup is: a file, an object in object storage, or "-".
type backupPlace struct {
	name   string // as the user writes it
	client *objects.Client
	key    string
}

// isObject reports whether a place is in object storage.
func isObject(name string) bool { return strings.HasPrefix(name, "s3:") }

// backupPlaceOf returns the place of a backup. It connects to nothing.
func backupPlaceOf(name string) (p backupPlace, err error) {
	p.name = name
	if !isObject(name) {
		return p, nil
	}
	address, key, err := objects.ParseObject(name)
	if err == nil {
		p.key = key
		p.client, err = objects.New(address)
	}
	if err != nil {
		return p, sett.Errorf(sett.Invalid, "%v", err)
	}
	return p, nil
}

// replaceable returns an error where something else than a backup has the name, or where that cannot be seen.
func (p backupPlace) replaceable(ctx context.Context) error {
	switch {
	case p.name == "-":
		return nil
	case p.client == nil:
		return backup.Replaceable(p.name)
	}
	r, err := p.client.Open(ctx, p.key)
	if errors.Is(err, objects.ErrMissing) {
		is, err := p.client.IsPrefix(ctx, p.key)
		if is {
			err = sett.Errorf(sett.Invalid, "%s is the prefix of other objects; add a name for the backup, such as %s, or use --every for backups that are named after their time", p.name, objects.Join(p.name, "sett.backup"))
		}
		return err
	}
	if err != nil {
		return err
	}
	return backup.OnlyBackup(p.name, r)
}

// scratch is the directory in which a backup is prepared.
func (p backupPlace) scratch() string {
	if p.name == "-" || p.client != nil {
		return os.TempDir()
	}
	return filepath.Dir(p.name)
}

// save writes a backup to its place.
func (p backupPlace) save(ctx context.Context, c copyOf, stdout io.Writer) (bytes int64, err error) {
	write := func(w io.Writer) error { return c.write(ctx, w) }
	switch {
	case p.name == "-":
		counted := &counter{w: stdout}
		err = write(counted)
		return counted.n, err
	case p.client != nil:
		return p.client.Upload(ctx, p.key, c.Bytes, write)
	}
	return backup.Save(p.name, filepath.Dir(c.file), write)
}

// open opens a backup to be read; what is "-" is read from stdin.
func (p backupPlace) open(ctx context.Context, stdin io.Reader) (io.ReadCloser, error) {
	switch {
	case p.name == "-":
		return io.NopCloser(stdin), nil
	case p.client != nil:
		r, err := p.client.Open(ctx, p.key)
		return io.NopCloser(r), err
	}
	return os.Open(p.name)
}

// unfinishedFor is the age at which an upload of a repeated backup is taken for that of a process which was killed.
const unfinishedFor = 24 * time.Hour

// pruneObjects removes the oldest backups from object storage beyond those that are kept, and what was sent of backups that were never completed.
func (r RepeatedBackup) pruneObjects(ctx context.Context) error {
	newest, err := backupPlaceOf(objects.Join(r.Dir, r.Now().UTC().Format(repeatedName)))
	if err != nil {
		return err
	}
	var names []string
	err = newest.client.Keys(ctx, repeatedBegin, func(name string) bool {
		if isRepeated(name) {
			names = append(names, name)
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, name := range beyond(names, r.Keep) {
		old := newest
		old.name, old.key = objects.Join(r.Dir, name), name
		if sett.CodeOf(old.replaceable(ctx)) == sett.Invalid { // it is something else
			continue
		}
		err = errors.Join(err, newest.client.Delete(ctx, name))
	}
	_, failed := newest.client.AbortUploads(ctx, r.Now().Add(-unfinishedFor), isRepeated)
	return errors.Join(err, failed)
}
