package acme

import (
	"context"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"

	"sett/internal/sett"
	"sett/internal/store"
)

// How nodes keep out of one another's way.
const (
	leaseLasts = 20 * time.Second
	renewEvery = 5 * time.Second
	lookEvery  = time.Second // for one that another has
)

// files is certmagic's storage in the store.
type files struct {
	store *store.Store
	now   func() time.Time
	node  string

	mu   sync.Mutex
	held map[string]context.CancelFunc // ends the renewal of a lease
}

var _ certmagic.Storage = (*files)(nil)

func newFiles(s *store.Store, now func() time.Time) *files {
	return &files{store: s, now: now, node: "acme " + sett.RandomString(8), held: map[string]context.CancelFunc{}}
}

func (f *files) Store(ctx context.Context, key string, value []byte) error {
	return f.store.SaveCertificateFile(ctx, store.CertificateFile{Name: key, Content: value, ModifiedAt: f.now()})
}

func (f *files) Load(ctx context.Context, key string) ([]byte, error) {
	found, err := f.store.CertificateFile(ctx, key)
	return found.Content, missing(err)
}

func (f *files) Delete(ctx context.Context, key string) error {
	return f.store.DeleteCertificateFiles(ctx, key)
}

func (f *files) Exists(ctx context.Context, key string) bool {
	_, err := f.Stat(ctx, key)
	return err == nil
}

func (f *files) List(ctx context.Context, dir string, recursive bool) ([]string, error) {
	dir = strings.Trim(dir, "/")
	names, err := f.store.CertificateFilesBelow(ctx, dir)
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
	found, err := f.store.CertificateFile(ctx, key)
	if err == nil {
		return certmagic.KeyInfo{Key: key, Modified: found.ModifiedAt, Size: int64(len(found.Content)), IsTerminal: true}, nil
	}
	if err = missing(err); err != fs.ErrNotExist { //nolint:errorlint // of missing
		return certmagic.KeyInfo{}, err
	}
	below, err := f.store.CertificateFilesBelow(ctx, key)
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

// Lock waits until no other node, and nobody else here, has the lock.
func (f *files) Lock(ctx context.Context, name string) error {
	holder := f.node + " " + sett.RandomString(8)
	for {
		held, err := f.take(ctx, name, holder)
		if err != nil {
			return err
		}
		if held {
			f.keep(name, holder)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

func (f *files) take(ctx context.Context, name, holder string) (held bool, err error) {
	now := f.now()
	return f.store.TakeCertificateLease(ctx, name, holder, now, now.Add(leaseLasts))
}

// keep renews a lease until Unlock, which drops it.
func (f *files) keep(name, holder string) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(renewEvery):
				_, _ = f.take(ctx, name, holder) // it runs out by itself, and what is locked can be done twice
			}
		}
	}()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[name] = func() {
		cancel()
		<-ended
		drop, done := context.WithTimeout(context.Background(), leaseLasts)
		defer done()
		_ = f.store.DropLease(drop, store.CertificateLease(name), holder) // likewise
	}
}

func (f *files) Unlock(_ context.Context, name string) error {
	f.mu.Lock()
	release := f.held[name]
	delete(f.held, name)
	f.mu.Unlock()
	if release != nil {
		release()
	}
	return nil
}
