package watch

import (
	"context"
	"log/slog"
	"time"

	"sett/internal/store"
)

// Upkeep is what the loops that move, pack and delete what is stored work with; all is required.
type Upkeep struct {
	Store *store.Store
	Node  string // names this process among those that share the database
	Now   func() time.Time
	Log   *slog.Logger
}

// purging is how this process takes away what is stored, with a rest after each piece.
func (u Upkeep) purging(rest func(ctx context.Context, took time.Duration) error) store.Purge {
	return store.Purge{Now: u.Now, Holder: u.Node, Rest: rest}
}
