package app

import (
	"context"
	"errors"
	"path/filepath"

	"sett/internal/loop"
	"sett/internal/objects"
	"sett/internal/store"
	"sett/internal/watch"
)

// objectStorage is where blocks are with --blocks.
type objectStorage struct {
	*objects.Client
	*objects.Cache
}

// cacheDir is the directory, in the data directory, of what was read from object storage.
const cacheDir = "block-cache"

func parseObjects(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := objects.ParseAddress(text); err != nil {
		return "", errors.New("cannot be used: " + err.Error())
	}
	return text, nil
}

// storageOf returns the object storage of a configuration, nil if there is none. It connects to nothing.
func storageOf(cfg Config) (*objectStorage, error) {
	if cfg.Blocks == "" {
		return nil, nil
	}
	address, err := objects.ParseAddress(cfg.Blocks)
	if err != nil {
		return nil, err
	}
	client, err := objects.New(address)
	if err != nil {
		return nil, err
	}
	return &objectStorage{client, objects.NewCache(client, filepath.Join(cfg.Data, cacheDir), cfg.BlockCacheBytes)}, nil
}

// useObjects makes a store read and write blocks in the object storage of a configuration.
func useObjects(s *store.Store, cfg Config) (*objectStorage, error) {
	o, err := storageOf(cfg)
	if o != nil {
		s.Blocks.Objects = o.Cache
	}
	return o, err
}

// openObjects makes the server use object storage, if it is set. Whether that responds is seen when something is moved or read.
func (a *App) openObjects(ctx context.Context) (err error) {
	if a.objects, err = useObjects(a.store, a.cfg); err != nil || a.objects != nil {
		return err
	}
	remote, err := a.store.Blocks.NextRemote(ctx, 0)
	if remote != 0 {
		a.log.Warn("events are in object storage, and cannot be shown because --blocks is not set; set it as before, or bring them home with sett blocks home")
	}
	return err
}

// movingBlocks are the loops of object storage.
func (a *App) movingBlocks() []*loop.Loop {
	if a.objects == nil {
		return nil
	}
	return watch.NewObjects(watch.ObjectOptions{Store: a.store, Node: a.node(), Now: a.now, Log: a.log}).Loops()
}
