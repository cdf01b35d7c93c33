package acme

import (
	"context"
	"io/fs"
	"strings"
	"time"

	"github.com/caddyserver/certmagic"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// files is certmagic's storage in the store.
type files struct {
	*locks
	accounts   *accountdb.Store
	now        func() time.Time
	challenges challengeCache
}

var _ certmagic.Storage = (*files)(nil)

func newFiles(d *db.DB, accounts *accountdb.Store, now func() time.Time) *files {
	return &files{locks: newLocks(d, accounts, now), accounts: accounts, now: now, challenges: challengeCache{now: now, last: map[string]cachedChallenge{}}}
}

// String keeps what is stored out of logs.
func (f *files) String() string { return "the database" }

func (f *files) Store(ctx context.Context, key string, value []byte) error {
	return f.accounts.SaveCertificateFile(ctx, accountdb.CertificateFile{Name: key, Content: value, ModifiedAt: f.now()})
}

func (f *files) Load(ctx context.Context, key string) ([]byte, error) {
	if strings.Contains(key, "/challenge_tokens/") {
		return f.challenges.load(key, func() ([]byte, error) { return f.load(ctx, key) })
	}
	return f.load(ctx, key)
}

func (f *files) load(ctx context.Context, key string) ([]byte, error) {
	found, err := f.accounts.CertificateFile(ctx, key)
	return found.Content, missing(err)
}

func (f *files) Delete(ctx context.Context, key string) error {
	return f.accounts.DeleteCertificateFiles(ctx, key)
}

func (f *files) Exists(ctx context.Context, key string) bool {
	_, err := f.Stat(ctx, key)
	return err == nil
}

func (f *files) List(ctx context.Context, dir string, recursive bool) ([]string, error) {
	dir = strings.Trim(dir, "/")
	names, err := f.accounts.CertificateFilesBelow(ctx, dir)
	if err == nil && len(names) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil || recursive {
		return names, err
	}
	return children(dir, names), nil
}

// children returns what is directly in a directory: files and directories, each once.
func children(dir string, names []string) (found []string) {
	prefix := ""
	if dir != "" {
		prefix = dir + "/"
	}
	seen := map[string]bool{}
	for _, name := range names {
		child, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "/")
		if !seen[child] {
			seen[child] = true
			found = append(found, prefix+child)
		}
	}
	return found
}

func (f *files) Stat(ctx context.Context, key string) (certmagic.KeyInfo, error) {
	found, err := f.accounts.CertificateFile(ctx, key)
	if err == nil {
		return certmagic.KeyInfo{Key: key, Modified: found.ModifiedAt, Size: int64(len(found.Content)), IsTerminal: true}, nil
	}
	if err = missing(err); err != fs.ErrNotExist { //nolint:errorlint // of missing
		return certmagic.KeyInfo{}, err
	}
	below, err := f.accounts.CertificateFilesBelow(ctx, key)
	if err == nil && len(below) == 0 {
		err = fs.ErrNotExist
	}
	return certmagic.KeyInfo{Key: key}, err
}

// missing is an error as certmagic knows it.
func missing(err error) error {
	if sett.CodeOf(err) == sett.NotFound {
		return fs.ErrNotExist
	}
	return err
}
