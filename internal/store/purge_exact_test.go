package store_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// A notice of the first moment that is kept stays, and one of the microsecond before goes: by the longest time that any project keeps notices, by
// that of a project that keeps less, in bundles and in blocks.
func TestExactlyWhatIsKeptStays(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		now := storetest.Noon.Add(200 * days)
		for _, kept := range []int64{90, 30} { // ids only grow: the bounds are one after another
			for _, blocks := range []bool{false, true} {
				now = now.Add(days)
				project := d.Project(fmt.Sprint(blocks, kept)).ID
				d.keeps(project, kept)
				first := accounts.KeptFrom(now, kept)
				for _, at := range []time.Time{first.Add(-time.Microsecond), first} {
					d.Record(at, accounts.Limits{}, d.Report("A", of(project)))
				}
				if blocks && d.Compact(now, block.Sizes{Most: 2, Least: 1}) == 0 {
					t.Fatal("nothing is in blocks")
				}
				d.purged(now)
				left := d.ids(project)
				if len(left) != 1 || !sett.NoticeID(left[0]).Time().Equal(first) {
					t.Errorf("in blocks %t, kept for %d days: %v are left, want one of %v", blocks, kept, left, first)
				}
			}
		}
	})
}

// Retention and erasures delete every notice, whether they are fewer than a piece, as many, one more, or fill several.
func TestPiecesLeaveNoNoticeOut(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, n := range []int{store.Piece - 1, store.Piece, store.Piece + 1, 2 * store.Piece, 3*store.Piece + 1} {
			for _, erase := range []bool{false, true} {
				project := d.Project(fmt.Sprint(n, erase)).ID
				d.keeps(project, 30)
				var reports []*faultdb.Packed
				for range n {
					reports = append(reports, d.Report("A", from(ines), of(project)))
				}
				d.Record(storetest.Noon, accounts.Limits{}, reports...)
				if erase {
					if e := d.erase(project, ines); e.Notices != int64(n) || e.Left != 0 || e.State() != scrub.ErasureFinished {
						t.Errorf("erasure of %d: %+v", n, e)
					}
				} else if gone := d.purged(storetest.Noon.Add(40 * days)); gone != int64(n) {
					t.Errorf("%d of %d notices went", gone, n)
				}
				if left := d.ids(project); len(left) > 0 {
					t.Errorf("%d of %d notices are left; erasure: %t", len(left), n, erase)
				}
			}
		}
	})
}

// An erasure covers the notices before its own id, not the one with it.
func TestAnErasureEndsWhereItBegan(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, blocks := range []bool{false, true} {
			project := d.Project(fmt.Sprint(blocks)).ID
			d.Record(storetest.Noon.Add(-time.Microsecond), accounts.Limits{}, d.Report("A", from(ines), of(project)))
			e, err := s.CreateErasure(t.Context(), storetest.Noon, d.UserID, project, scrub.ErasureChange{User: sett.Some(ines)})
			if err != nil {
				t.Fatal(err)
			}
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", from(ines), of(project)))
			d.Run(`UPDATE erasures SET before_id = $1 WHERE id = $2`, d.ids(project)[1], e.ID) // the notice is the first that is not covered
			if blocks && d.Compact(storetest.Noon, block.Sizes{Most: 2, Least: 1}) == 0 {
				t.Fatal("nothing is in blocks")
			}
			if e = d.swept(e); e.Notices != 1 || len(d.ids(project)) != 1 {
				t.Errorf("in blocks %t: %+v, %d are left", blocks, e, len(d.ids(project)))
			}
		}
	})
}

// ids returns the ids of the notices of a project.
func (d *desk) ids(project int64) []int64 {
	d.T.Helper()
	ids, err := d.ListIDs(d.T.Context(), d.Read, `SELECT n.id FROM notices n JOIN faults f ON f.id = n.fault_id WHERE f.project_id = $1 ORDER BY n.id`, project)
	if err != nil {
		d.T.Fatal(err)
	}
	return ids
}
