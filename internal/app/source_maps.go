package app

import (
	"context"
	"time"

	"sett/internal/loop"
)

// sourceMapUse is the loop that saves which source maps are used.
func (a *App) sourceMapUse() *loop.Loop {
	return &loop.Loop{
		Name: "source map use", Does: "Saves which source maps are used, so that they are kept.", Every: 30 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.maps.SaveUse(ctx) },
	}
}
