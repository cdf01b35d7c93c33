package app

import (
	"sett/internal/loop"
	"sett/internal/watch"
)

// watching are the loops of the clockwork.
func (a *App) watching() []*loop.Loop {
	return watch.NewCheckIns(watch.CheckInOptions{Store: a.store, Now: a.now, Log: a.log}).Loops()
}
