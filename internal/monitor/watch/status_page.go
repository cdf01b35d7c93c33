package watch

import (
	"context"
	"log/slog"
	"time"

	"sett/internal/base/loop"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

const moveEvery = time.Second

// StatusPageOptions are what StatusPages work with.
type StatusPageOptions struct {
	DB     *db.DB
	Status *statusdb.Store
	Now    func() time.Time
	Log    *slog.Logger
}

// StatusPages begin and end the maintenance that status pages have announced.
type StatusPages struct{ StatusPageOptions }

// NewStatusPages returns StatusPages. They do nothing before their Loops run.
func NewStatusPages(o StatusPageOptions) *StatusPages { return &StatusPages{o} }

// Loops returns the loop that looks for maintenance whose time has come.
func (p *StatusPages) Loops() []*loop.Loop {
	woken, _ := p.DB.Sleep(statusdb.StatusChanged)
	return []*loop.Loop{{Name: "maintenance", Does: "Starts and ends scheduled maintenance on status pages.", Every: moveEvery, Wake: woken, Log: p.Log, Work: p.move}}
}

func (p *StatusPages) move(ctx context.Context) (more bool, err error) {
	return p.Status.MoveIncidents(ctx, p.Now())
}
