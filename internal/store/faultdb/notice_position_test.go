package faultdb_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// ran is a notice of a class that ran on a revision.
func (d *desk) ran(class, revision string, change ...func(*faults.Report)) *faultdb.Packed {
	return d.Report(class, append(slices.Clone(change), func(r *faults.Report) {
		r.Body = bytes.Replace(r.Body, []byte(`"server":{}`), []byte(`"server":{"revision":"`+revision+`"}`), 1)
	})...)
}

// Beside a notice stand those of its fault, also when they were reported under another fingerprint, by the ids that their clients
// gave them; the first and the newest contain their revisions.
func TestPositionOfNotice(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.ran("A", "R1"))
		d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.ran("B", "R2", storetest.WithToken(7)))
		d.Record(storetest.Noon.Add(2*time.Minute), accounts.Limits{}, d.ran("A", "R3"), d.ran("Other", "R4"))
		d.Record(storetest.Noon.Add(3*time.Minute), accounts.Limits{}, d.ran("B", "R5"))
		kept := d.FaultID("A")
		merges{d}.merge(d.FaultID("B"), kept)
		all, _, err := s.Faults.ListNotices(t.Context(), d.ProjectID, kept, faultdb.NoticePage{Page: sett.Page{Size: 10, Back: true}})
		if err != nil || len(all) != 4 {
			t.Fatalf("%d notices, %v", len(all), err)
		}
		slices.SortFunc(all, func(a, b faults.Notice) int { return int(a.Key - b.Key) })
		for i, n := range all {
			want := faultdb.NoticePosition{After: int64(3 - i), First: "R1", Last: "R5"}
			if i > 0 {
				want.Older = all[i-1].ID
			}
			if i < 3 {
				want.Newer = all[i+1].ID
			}
			got, err := s.Faults.PositionOfNotice(t.Context(), d.ProjectID, kept, n.Key)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("notice %d: %v\n%s", i, err, diff)
			}
		}
		newest, err := s.Faults.NewestNotice(t.Context(), d.ProjectID, kept)
		if err != nil || newest == nil || newest.Environment.Revision != "R5" || newest.FaultID != kept {
			t.Fatalf("the newest is %+v, %v", newest, err)
		}
		d.Run(`DELETE FROM notices WHERE id = $1`, int64(all[0].Key))
		if at, err := s.Faults.PositionOfNotice(t.Context(), d.ProjectID, kept, all[1].Key); err != nil || at.First != "" || !at.Older.IsZero() || at.Newer != all[2].ID {
			t.Errorf("behind one that was purged: %+v, %v", at, err)
		}
		d.Run(`DELETE FROM fault_notices`)
		if n, err := s.Faults.NewestNotice(t.Context(), d.ProjectID, kept); n != nil || err != nil {
			t.Errorf("of none: %v, %v", n, err)
		}
		other := d.Project("Other").ID
		_, err = s.Faults.NewestNotice(t.Context(), other, kept)
		_, at := s.Faults.PositionOfNotice(t.Context(), other, kept, newest.Key)
		if sett.CodeOf(err) != sett.NotFound || sett.CodeOf(at) != sett.NotFound {
			t.Errorf("of another project: %v, %v", err, at)
		}
	})
}
