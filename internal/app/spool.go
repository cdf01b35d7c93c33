package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"sett/internal/base/loop"
	"sett/internal/base/phrase"
	"sett/internal/ingest"
	"sett/internal/serve/auth"
	"sett/internal/store/spool"
)

// openSpool opens the spool of a server on PostgreSQL, and makes intake use it. A server without one works, and refuses reports while the database
// does not respond.
func (a *App) openSpool(ctx context.Context) {
	if a.store.SQLite() || a.cfg.SpoolBytes == 0 {
		return
	}
	file, err := spool.Open(ctx, a.cfg.Data, a.cfg.SpoolBytes)
	if err != nil {
		a.log.Warn("there is no spool, so reports are refused while the database does not respond", "directory", a.cfg.Data, "error", err, "hint", "give each server a data directory of its own that it can write (--data)")
		return
	}
	a.spool = ingest.NewSpool(ingest.SpoolOptions{
		File: file, Main: a.store.Intake, Intake: a.store.Intake.OfSpool(), Pings: a.store.Uptime, Faults: a.store.Faults, Limits: a.limits(), Now: a.now, Log: a.log,
	})
	a.buffer.KeepIn(a.spool)
	a.pings.KeepIn(a.spool)
	a.knowsKeys = a.believeKeys(ctx)
	if file.Full() {
		a.log.Warn("the disk of the spool is full, so reports are refused while the database does not respond", "directory", a.cfg.Data, "hint", "free space on this disk")
	}
	if held := file.Size(); held.Entries > 0 {
		a.log.Info("the spool holds reports from before the start, which are stored now", "reports", held.Entries, "oldest", held.Oldest)
	}
}

// closeSpool closes the spool, if there is one. What it holds is passed on by the next process.
func (a *App) closeSpool(ctx context.Context) error {
	return errors.Join(a.saveKeys(ctx), a.spool.Close(ctx))
}

// spooled is the loop that passes on what the spool holds.
func (a *App) spooled() *loop.Loop {
	return &loop.Loop{
		Name: "spool", Does: "Stores the reports that were kept in the spool while the database did not respond.", Every: time.Second, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) {
			if a.spool == nil {
				return false, nil
			}
			return a.spool.Pass(ctx), nil
		},
	}
}

// believedKeys is the loop that saves which API keys are valid, for a process that starts while the database does not respond.
func (a *App) believedKeys() *loop.Loop {
	return &loop.Loop{
		Name: "keys of spool", Does: "Saves hashes of valid API keys, so that reports are accepted after a start without the database.", Every: 5 * time.Second, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.saveKeys(ctx) },
	}
}

// saveKeys saves which API keys are valid, if that has changed.
func (a *App) saveKeys(ctx context.Context) error {
	if a.spool == nil {
		return nil
	}
	body, err := json.Marshal(a.keys.Believed())
	if err != nil || bytes.Equal(body, a.savedKeys) {
		return err
	}
	if err := a.spool.File.SaveKeys(ctx, body); err != nil {
		return err
	}
	a.savedKeys = body
	return nil
}

// believeKeys reads what an earlier process has saved of API keys, and reports whether it knew any.
func (a *App) believeKeys(ctx context.Context) (any bool) {
	body, err := a.spool.File.Keys(ctx)
	var all []auth.BelievedKey
	if err == nil && body != nil {
		err = json.Unmarshal(body, &all)
	}
	if err != nil {
		a.log.Warn("the API keys in the spool cannot be read, so reports are refused until the database responds", "directory", a.cfg.Data, "error", err, "hint", "check the disk of the data directory")
	}
	a.keys.Believe(all)
	return len(all) > 0
}

// inSpool returns how many reports the spool holds; ok is false if there is none.
func (a *App) inSpool() (reports int64, ok bool) {
	state, ok := a.spool.State()
	return state.Entries, ok
}

// spoolText says what a spool holds.
func spoolText(state ingest.SpoolState) string {
	switch {
	case state.Full && state.Holding:
		return "is full; reports are refused until it holds less"
	case state.Full:
		return "has no room on its disk; reports would be refused while the database does not respond"
	case state.Holding:
		return fmt.Sprintf("keeps reports until the database takes them: %s, the oldest of %s", phrase.Count(state.Entries, "report"), state.Oldest.UTC().Format(time.RFC3339))
	}
	return "ok"
}

// intakeReadiness is readiness for a load balancer that only passes on reports: they are accepted as long as the spool has room.
func (a *App) intakeReadiness(w http.ResponseWriter, r *http.Request) error {
	checks, ready := a.checks(r.Context())
	if state, ok := a.spool.State(); ok && !a.draining.Load() {
		ready = ready || !state.Full
	}
	return answerReadiness(w, Readiness{ready, checks})
}
