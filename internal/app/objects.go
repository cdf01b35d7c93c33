package app

import (
	"context"
	"errors"

	"sett/internal/base/loop"
	"sett/internal/base/objects"
	"sett/internal/monitor/watch"
)

func parseObjects(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := objects.ParseAddress(text); err != nil {
		return "", errors.New("cannot be used: " + err.Error())
	}
	return text, nil
}

// openObjects makes the server use object storage, if it is set. Whether that responds is seen when something is moved or read.
func (a *App) openObjects(ctx context.Context) (err error) {
	if a.objects, err = a.cfg.Installation().UseObjects(a.store); err != nil || a.objects != nil {
		return err
	}
	remote, err := a.store.Blocks.NextRemote(ctx, 0)
	if remote != 0 {
		a.log.Warn("older events are in object storage, and cannot be shown because --blocks is not set", "hint", "set --blocks as before, or move them back with: sett blocks home")
	}
	return err
}

// movingBlocks are the loops of object storage. They do nothing if there is none.
func (a *App) movingBlocks() []*loop.Loop {
	return watch.NewObjects(a.upkeep()).Loops()
}

// objectState says why object storage does not respond, "" if it does; ok is false if this server has none.
func (a *App) objectState() (problem string, ok bool) {
	if a.objects == nil {
		return "", false
	}
	if a.objects.Failed() != nil {
		return "Does not respond; see the log", true
	}
	return "", true
}
