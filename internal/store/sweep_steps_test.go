package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// A sweep ends with the first step that has fewer rows than it may, so a multiple of the limit takes a step that finds nothing.
func TestSweepsAtTheBoundsOfSteps(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	const most = 10
	for rows, want := range map[int64]int{0: 1, 1: 1, most - 1: 1, most: 2, most + 1: 2, 2 * most: 3, 2*most + 1: 3} {
		left, steps := rows, 0
		err := s.DB.Sweep(t.Context(), "sweep", most, func(*db.Tx) (int64, error) {
			n := min(left, most)
			left -= n
			steps++
			return n, nil
		})
		if err != nil || left != 0 || steps != want {
			t.Errorf("%d rows: %d are left after %d steps, want %d; %v", rows, left, steps, want, err)
		}
	}
}

// Work with a pace does as many transactions as it may, rests between them, and has its say in each. Other work has no pace.
func TestPaceOfTransactions(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	for pieces, want := range map[int]int{0: 7, 1: 1, 6: 6, 7: 7, 8: 7} {
		done, rests, within := 0, 0, 0
		pace := &db.Pace{
			Pieces: pieces,
			Rest:   func(context.Context, time.Duration) error { rests++; return nil },
			Within: func(context.Context, *db.Tx) error { within++; return nil },
		}
		ctx := db.WithPace(t.Context(), pace)
		var err error
		for range 7 {
			if err = s.InTx(ctx, "piece", func(*db.Tx) error { done++; return nil }); err != nil {
				break
			}
		}
		if done != want || rests != want-1 || within != want || errors.Is(err, db.ErrPaceEnds) != (want < 7) {
			t.Errorf("%d pieces: %d transactions, %d rests, %d within, %v; want %d", pieces, done, rests, within, err, want)
		}
		if err := s.InTx(db.WithPace(ctx, nil), "other work", func(*db.Tx) error { return nil }); err != nil || within != want {
			t.Errorf("work without a pace: %v", err)
		}
	}
	refused := errors.New("refused")
	for name, pace := range map[string]*db.Pace{
		"a rest":        {Rest: func(context.Context, time.Duration) error { return refused }},
		"who has a say": {Within: func(context.Context, *db.Tx) error { return refused }},
	} {
		ctx, done := db.WithPace(t.Context(), pace), 0
		var err error
		for range 2 {
			if err = s.InTx(ctx, "piece", func(*db.Tx) error { done++; return nil }); err != nil {
				break
			}
		}
		if !errors.Is(err, refused) || done > 1 {
			t.Errorf("%s ends work after %d transactions with %v", name, done, err)
		}
	}
}
