package watch

import (
	"context"
	"errors"
	"time"

	"sett/internal/base/loop"
)

// objectsEvery is how often it is checked whether there are blocks to move to object storage, and objects to delete from it.
const objectsEvery = 3 * time.Second

// Objects moves blocks to object storage, and deletes from it what is needed no longer.
type Objects struct{ Upkeep }

// NewObjects returns an Objects. It does nothing before its Loops run.
func NewObjects(u Upkeep) *Objects { return &Objects{u} }

// Loops returns the loop that moves and deletes.
func (s *Objects) Loops() []*loop.Loop {
	return []*loop.Loop{{
		Name: "object storage", Does: "Moves compacted events to object storage, and deletes what is no longer needed there.",
		Every: objectsEvery, Jitter: 0.2, Log: s.Log, Work: s.work,
	}}
}

func (s *Objects) work(ctx context.Context) (more bool, err error) {
	if s.Store.Blocks.Objects == nil {
		return false, nil
	}
	o := s.purging(rest)
	_, err = s.Store.DeleteObjects(ctx, o)
	moved, failed := s.Store.MoveBlocks(ctx, o)
	if moved > 0 {
		s.Log.Info("moved older events to object storage", "blocks", moved)
		_, full := s.Store.ReturnSpace(ctx, o)
		failed = errors.Join(failed, full)
	}
	return false, errors.Join(err, failed)
}
