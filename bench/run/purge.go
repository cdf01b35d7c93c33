package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sett/bench"
	"sett/internal/app"
	"sett/internal/base/phrase"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
)

// measurePurge fills a database, deletes all of its notices as retention does once they are too old, and prints the figures to w.
func measurePurge(ctx context.Context, o fillOptions, w io.Writer) error {
	return o.with(ctx, func(cfg app.Config, fill bench.FillOptions) (err error) {
		held, err := bench.Fill(ctx, fill)
		if err != nil {
			return err
		}
		s, err := app.OpenStore(ctx, cfg)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		if _, _, err := s.Accounts.PersonalTokenByHash(ctx, auth.HashToken(held.Token)); err != nil {
			return sett.Errorf(sett.Conflict, "the database is not the one that --data was filled with; its notices were not deleted")
		}
		if s.SQLite() {
			if err := s.RecordAlone(ctx); err != nil {
				return err
			}
		}
		if err := os.Remove(filepath.Join(cfg.Data, bench.FilledFile)); err != nil { // it is not true any longer
			return err
		}
		before, err := s.DiskBytes(ctx)
		if err != nil {
			return err
		}
		notices, space, err := purgeAll(ctx, s)
		if err != nil {
			return err
		}
		after, err := s.DiskBytes(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s in %s deleted: %v\n", phrase.Count(notices.rows, "notice"), phrase.Count(int64(len(held.Projects)), "project"), notices)
		_, err = fmt.Fprintf(w, "space returned: %v · %d MB before, %d MB after\n", space, before/1_000_000, after/1_000_000)
		return err
	})
}

// purged is what a purge did, and how long each of its transactions kept other writers of an SQLite file waiting.
type purged struct {
	rows   int64
	pieces []time.Duration
}

func (p purged) String() string {
	if len(p.pieces) == 0 {
		return "no transaction"
	}
	slices.Sort(p.pieces)
	var sum time.Duration
	for _, piece := range p.pieces {
		sum += piece
	}
	return fmt.Sprintf("%v of writing in %d transactions, of which the median takes %s ms, p99 %s ms, the longest %s ms", sum.Round(10*time.Millisecond),
		len(p.pieces), inMillis(p.pieces[len(p.pieces)/2]), inMillis(p.pieces[len(p.pieces)*99/100]), inMillis(p.pieces[len(p.pieces)-1]))
}

// purgeAll deletes everything that a project keeps for a time, as if that time had passed.
func purgeAll(ctx context.Context, s *store.Store) (notices, space purged, err error) {
	later := accounts.MaxPurgeDays * 24 * time.Hour
	into := &notices
	o := store.Purge{Now: func() time.Time { return time.Now().Add(later) }, Holder: "bench", Rest: func(_ context.Context, took time.Duration) error {
		into.pieces = append(into.pieces, took)
		return nil
	}}
	if notices.rows, err = s.PurgeProjects(ctx, o); err != nil {
		return notices, space, err
	}
	into = &space
	space.rows, err = s.ReturnSpace(ctx, o)
	return notices, space, err
}
