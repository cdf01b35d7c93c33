package operate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"sett/internal/base/objects"
	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
)

// ObjectStorage is where blocks are with --blocks.
type ObjectStorage struct {
	*objects.Client
	*objects.Cache
}

// cacheDir is the directory, in the data directory, of what was read from object storage.
const cacheDir = "block-cache"

// objectStorage returns the object storage, nil if there is none. It connects to nothing.
func (in Installation) objectStorage() (*ObjectStorage, error) {
	if in.Blocks == "" {
		return nil, nil
	}
	address, err := objects.ParseAddress(in.Blocks)
	if err != nil {
		return nil, err
	}
	client, err := objects.New(address)
	if err != nil {
		return nil, err
	}
	return &ObjectStorage{client, objects.NewCache(client, filepath.Join(in.Dir, cacheDir), in.BlockCacheBytes)}, nil
}

// UseObjects makes a store read and write blocks in the object storage, and returns that; nil if there is none.
func (in Installation) UseObjects(s *store.Store) (*ObjectStorage, error) {
	o, err := in.objectStorage()
	if o != nil {
		s.Blocks.Objects = o.Cache
	}
	return o, err
}

// unhurried is what moves blocks for a command, which has nothing else to do.
func unhurried() store.Purge {
	return store.Purge{
		Now: time.Now, Holder: "command " + sett.RandomString(8),
		Rest: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// holdObjects keeps the objects of a database from being deleted until release is called. release is nil if the database has never had any.
func holdObjects(ctx context.Context, s *store.Store, schema int64) (release func() error, err error) {
	if schema != db.NewestSchema() {
		return nil, nil
	}
	has, err := s.Blocks.HasKeys(ctx)
	if err != nil || !has {
		return nil, err
	}
	return s.HoldObjects(ctx, time.Now)
}

// fetchBlocks makes the copy of a database in a directory whole: it reads what is in object storage into it. The copy has no object of its own.
func fetchBlocks(ctx context.Context, of *store.Store, dir string) (err error) {
	s, err := store.Open(ctx, db.Options{Dir: dir, Found: true, NoCopy: true, MadeUp: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return bringBlocks(ctx, of, s)
}

// bringBlocks is fetchBlocks of a copy that is open. It leaves the cache to readers.
func bringBlocks(ctx context.Context, of, copied *store.Store) error {
	if c, ok := of.Blocks.Objects.(*objects.Cache); ok {
		copied.Blocks.Objects = objects.NewCache(c.Storage, "", 0)
	}
	if _, err := copied.BringHome(ctx, unhurried(), true); err != nil {
		return fmt.Errorf("a backup contains what is in object storage: %w", err)
	}
	return nil
}

// BlocksHome moves everything from object storage back to the database, and returns how many blocks that were.
func BlocksHome(ctx context.Context, in Installation) (n int64, err error) {
	if in.Blocks == "" {
		return 0, sett.Errorf(sett.Invalid, "set --blocks to the address at which the events are")
	}
	return withSecrets(ctx, in, func(s *store.Store) (int64, error) {
		if _, err := in.UseObjects(s); err != nil {
			return 0, err
		}
		n, err := s.BringHome(ctx, unhurried(), false)
		if err != nil {
			return n, err
		}
		switch left, err := s.Blocks.NextRemote(ctx, 0); {
		case err != nil:
			return n, err
		case left != 0:
			return n, sett.Errorf(sett.Conflict, "a server moves events to object storage; start all servers without --blocks, then run this again")
		}
		_, err = s.DeleteObjects(ctx, unhurried())
		return n, err
	})
}

// objects asks object storage for an object that is not there: the answer shows whether it responds and takes the credentials.
func (d *doctor) objects(ctx context.Context) {
	o, err := d.objectStorage()
	if d.failed("object storage", err) {
		return
	}
	var figures accounts.ObjectFigures
	if d.store != nil && d.current(ctx) {
		if figures, err = d.store.Blocks.ObjectFigures(ctx); d.failed("object storage", err) {
			return
		}
	}
	if o == nil {
		if figures.Blocks > 0 {
			d.found("object storage", Fails, "%d blocks of events are in object storage and cannot be shown; set --blocks (SETT_BLOCKS) as before, or bring them home with sett blocks home", figures.Blocks)
		}
		return
	}
	if _, err := o.Client.Get(ctx, "doctor", 0, 1); err != nil && !errors.Is(err, objects.ErrMissing) {
		d.found("object storage", Fails, "%v", err)
		return
	}
	d.found("object storage", Fine, "%s responds; it has %s of events, %d wait in the database, and %d objects are to be deleted", o.Address, phrase.Count(figures.Blocks, "block"), figures.InDatabase, figures.Dead)
}
