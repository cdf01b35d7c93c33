package work_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/work"
)

const kind work.Kind = "test"

// bench is a store that does work of one kind, and what was done.
type bench struct {
	*storetest.Desk
	done   []int64
	fails  map[int64]error // by id
	pieces []int           // ids in each transaction
}

func newBench(t *testing.T, s *store.Store) *bench {
	t.Helper()
	b := &bench{Desk: storetest.NewDesk(t, s), fails: map[int64]error{}}
	s.Work.Handle(kind, b.do)
	return b
}

func (b *bench) do(ctx context.Context, i work.Item) error {
	for more := true; more; {
		var ids []int64
		var err error
		more, err = b.Store.Work.NextLot(ctx, "test", i, func(_ *db.Tx, l *work.Lot) error {
			ids = l.IDs
			for _, id := range ids {
				if b.fails[id] != nil {
					return b.fails[id]
				}
			}
			return l.Note(map[string]int{"lots": len(b.pieces)})
		})
		if err != nil {
			return err
		}
		b.done, b.pieces = append(b.done, ids...), append(b.pieces, len(ids))
	}
	return nil
}

func (b *bench) add(lots ...[]int64) (i work.Item) {
	b.T.Helper()
	err := b.InTx(b.T.Context(), "add", func(t *db.Tx) (err error) {
		i, err = b.Store.Work.In(t).Add(b.T.Context(), kind, b.ProjectID, struct{}{}, lots...)
		return err
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return i
}

// ids are the numbers from 1 to n, in lots of a size.
func lotsOf(n, size int64) [][]int64 {
	var ids []int64
	for id := int64(1); id <= n; id++ {
		ids = append(ids, id)
	}
	return slices.Collect(slices.Chunk(ids, int(size)))
}

// Each row is done once, whatever is left for the last lot, and whether the work ends with the answer or later.
func TestWorkAtTheBoundsOfLots(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		const size, begun = 3, 2
		b := newBench(t, s)
		for _, n := range []int64{0, 1, size, size + 1, size * begun, size*begun + 1, size * begun * 2} {
			b.done, b.pieces = nil, nil
			lots := lotsOf(n, size)
			finished, err := s.Work.Begin(t.Context(), b.add(lots...), begun, nil)
			if want := len(lots) <= begun; finished != want || err != nil || int64(len(b.done)) != min(n, size*begun) {
				t.Errorf("%d rows: finished %t with %v, %v", n, finished, b.done, err)
			}
			waiting, err := s.Work.Waiting(t.Context(), b.ProjectID, kind)
			if waiting != n-int64(len(b.done)) || err != nil {
				t.Errorf("%d rows: %d wait, %v", n, waiting, err)
			}
			b.Finish()
			if diff := cmp.Diff(slices.Concat(lots...), b.done); diff != "" || slices.Max(b.pieces) > size || len(b.pieces) != max(len(lots), 1) {
				t.Errorf("%d rows in pieces of %v (-want +got):\n%s", n, b.pieces, diff)
			}
		}
	})
}

// A large work does not keep a small one waiting, and one that fails keeps none.
func TestWorksTakeTurns(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.OpenSQLite(t))
	b.add(lotsOf(3*work.PiecesAtOnce, 1)...)
	b.fails[-1], b.fails[-2] = errors.New("not now"), sett.Refuse("x", "is never possible")
	b.add([]int64{-1})
	b.add([]int64{-2})
	b.add([]int64{1000})
	b.Run(`UPDATE pending_work SET due_at = 0`)
	_, err := b.Store.Work.DoLots(t.Context(), storetest.CutAfter(-1))
	if !slices.Contains(b.done, 1000) || len(b.done) != work.PiecesAtOnce+1 || err == nil {
		t.Errorf("done are %v, %v; want some of the large work, and the small one", b.done, err)
	}
	delete(b.fails, -1)
	for more := true; more; {
		if more, err = b.Store.Work.DoLots(t.Context(), storetest.CutAfter(-1)); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.Numbers(`SELECT count(*) FROM pending_work`, 1)[0]; n != 0 || len(b.done) != 3*work.PiecesAtOnce+2 || slices.Contains(b.done, -2) {
		t.Errorf("%d works are left, and done are %d rows", n, len(b.done))
	}
}

// What is refused is dropped, and the caller hears why; what fails stays.
func TestRefusedWorkIsDropped(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.OpenSQLite(t))
	for id, want := range map[int64]int64{-1: 1, -2: 0} {
		b.fails = map[int64]error{-1: errors.New("broken"), -2: sett.Errorf(sett.Invalid, "no")}
		_, err := b.Store.Work.Begin(t.Context(), b.add([]int64{id}), 5, nil)
		if n := b.Numbers(`SELECT count(*) FROM pending_work`, 1)[0]; n != want || !errors.Is(err, b.fails[id]) {
			t.Errorf("%d: %d works are left, %v", id, n, err)
		}
		b.Run(`DELETE FROM pending_work`)
	}
}

// Who adds work does it alone, until it has died; and of two who do the same work each does other lots.
func TestOneDoesWorkAtATime(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	b := newBench(t, c.Node(t))
	other := c.Node(t)
	i := b.add(lotsOf(6, 2)...)
	if more, err := other.Work.DoLots(t.Context(), storetest.CutAfter(-1)); more || err != nil {
		t.Errorf("another node does work that was just added: %t, %v", more, err)
	}
	var theirs []int64
	other.Work.Handle(kind, func(ctx context.Context, i work.Item) error {
		_, err := other.Work.NextLot(ctx, "test", i, func(_ *db.Tx, l *work.Lot) error { theirs = l.IDs; return nil })
		return errors.Join(err, storetest.ErrCut)
	})
	own := func(ctx context.Context, i work.Item) error {
		_, err := b.Store.Work.NextLot(ctx, "test", i, func(_ *db.Tx, l *work.Lot) error { b.done = append(b.done, l.IDs...); return nil })
		if err == nil && theirs == nil {
			_, _ = other.Work.Begin(t.Context(), i, 1, nil)
			return b.do(ctx, i)
		}
		return err
	}
	if _, err := b.Store.Work.Begin(t.Context(), i, 0, own); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(b.done, theirs); got != "[1 2 5 6] [3 4]" {
		t.Errorf("done are %s", got)
	}
	b.Run(`INSERT INTO leases (name, holder, held_since, held_until) VALUES ('pending changes', 'another', $1, $2)`, db.Micros(time.Now()), db.Micros(time.Now().Add(checks.AgentSilence)))
	b.add([]int64{9})
	b.Run(`UPDATE pending_work SET due_at = 0`)
	if more, err := b.Store.Work.DoLots(t.Context(), storetest.CutAfter(-1)); more || err != nil || slices.Contains(b.done, 9) {
		t.Errorf("done beside another that holds the lease: %v, %v", b.done, err)
	}
}
