package store_test

import (
	"context"
	"fmt"
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

// purged purges at a time and returns how many notices went.
func (d *desk) purged(now time.Time) int64 {
	d.T.Helper()
	n, err := d.PurgeProjects(d.T.Context(), purgeAt(now))
	if err != nil {
		d.T.Fatal(err)
	}
	return n
}

func purgeAt(now time.Time) store.Purge {
	return store.Purge{Now: func() time.Time { return now }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }}
}

// keeps sets for how many days a project keeps notices.
func (d *desk) keeps(project, days int64) {
	d.T.Helper()
	if err := d.Accounts.UpdateProject(d.T.Context(), project, accounts.ProjectChange{PurgeDays: sett.Some(days)}); err != nil {
		d.T.Fatal(err)
	}
}

// ofNotices are the tables whose rows are there because of notices.
var ofNotices = []string{"notices", "bundles", "fault_notices", "notice_tokens", "fault_users", "named_buckets", "backtraces"}

// rowsOf counts the rows of tables.
func (d *desk) rowsOf(tables ...string) map[string]int64 {
	d.T.Helper()
	counts := map[string]int64{}
	for _, table := range tables {
		counts[table] = d.Numbers("SELECT count(*) FROM "+table, 1)[0]
	}
	return counts
}

func byUser(name string) func(*faults.Report) { return func(r *faults.Report) { r.User = name } }

// of makes a report one of another project.
func of(project int64) func(*faults.Report) { return func(r *faults.Report) { r.ProjectID = project } }

// inOneBundle packs reports together.
func inOneBundle(packed ...*faultdb.Packed) []*faultdb.Packed {
	var reports []*faults.Report
	for _, p := range packed {
		reports = append(reports, p.Report)
	}
	return new(faultdb.Packer).Pack(reports)
}

const days = 24 * time.Hour

func TestNoticesGoWhenTheirProjectKeepsThemNoMore(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for n := range 100 {
			d.Record(storetest.Noon.Add(time.Duration(n)*days), accounts.Limits{}, d.Report("Lost", storetest.WithToken(byte(n+1)), byUser(fmt.Sprintf("u%d@example.test", n))), d.Report("Lost", byUser("ann@example.test")))
		}
		now := storetest.Noon.Add(100 * days)
		before := d.rowsOf("fault_buckets", "project_buckets", "ledger", "comments")
		if n := d.purged(now); n != 20 {
			t.Errorf("%d notices went, want 20: two a day of ten days", n)
		}
		if n := d.purged(now); n != 0 {
			t.Errorf("%d notices went on the same day again", n)
		}
		if diff := cmp.Diff(map[string]int64{
			"notices": 180, "bundles": 180, "fault_notices": 180, "notice_tokens": 90, "fault_users": 91, "named_buckets": 90 + 90 + 180, "backtraces": 1,
		}, d.rowsOf(ofNotices...)); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, d.rowsOf("fault_buckets", "project_buckets", "ledger", "comments")); diff != "" {
			t.Errorf("counts (-before +after):\n%s", diff)
		}
		if f := d.Fault("Lost"); f.NoticesCount != 200 {
			t.Errorf("the fault counts %d notices, want 200", f.NoticesCount)
		}
		oldest := d.Numbers(`SELECT min(id) FROM notices`, 1)[0]
		if at := sett.NoticeID(oldest).Time(); at.Before(accounts.KeptFrom(now, 90)) || !at.Equal(storetest.Noon.Add(10*days)) {
			t.Errorf("the oldest notice is of %v", at)
		}
		users, all, err := s.Faults.AffectedUsers(t.Context(), d.ProjectID, d.FaultID("Lost"), "ann", 10)
		if err != nil || all != 1 || users[0].Count != 90 {
			t.Errorf("ann is affected by %+v, %v; want 90", users, err)
		}
		d.wantReadable("Lost", 180)
	})
}

// wantReadable wants a fault to list so many notices, all whole.
func (d *desk) wantReadable(class string, want int) {
	d.T.Helper()
	seen := 0
	for page := (faultdb.NoticePage{Page: sett.Page{Size: 25}}); ; {
		notices, marks := d.ListedNotices(class, page)
		for _, n := range notices {
			if seen++; !n.Readable {
				d.T.Errorf("notice %v cannot be read", n.ID)
			}
		}
		if marks.Next == "" {
			break
		}
		page.Mark = marks.Next
	}
	if seen != want {
		d.T.Errorf("%s lists %d notices, want %d", class, seen, want)
	}
}

func TestEachProjectKeepsItsOwn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		short, long := d.Project("Short").ID, d.Project("Long").ID
		d.keeps(short, 7)
		d.keeps(long, 365)
		for n := range 100 {
			d.Record(storetest.Noon.Add(time.Duration(n)*days), accounts.Limits{}, inOneBundle(
				d.Report("A"), d.Report("A", of(short)), d.Report("B", of(short), byUser("bea@example.test")), d.Report("A", of(long)))...)
		}
		now := storetest.Noon.Add(100 * days)
		wantKept := func(when string, own, shorts, longs int64) {
			t.Helper()
			got := map[int64]int64{}
			for _, p := range []int64{d.ProjectID, short, long} {
				got[p] = d.Numbers(fmt.Sprintf(`SELECT count(*) FROM notices n JOIN faults f ON f.id = n.fault_id WHERE f.project_id = %d`, p), 1)[0]
			}
			if diff := cmp.Diff(map[int64]int64{d.ProjectID: own, short: shorts, long: longs}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
			if n := d.Numbers(`SELECT count(*) FROM fault_notices k WHERE NOT EXISTS (SELECT 1 FROM notices n WHERE n.id = k.id)`, 1)[0]; n != 0 {
				t.Errorf("%s: %d notices of faults are not there", when, n)
			}
			if left := d.Numbers(`SELECT count(*) FROM named_buckets WHERE kind = 'user' AND project_id = `+fmt.Sprint(short), 1)[0]; left != shorts {
				t.Errorf("%s: %d rows by user, want %d", when, left, shorts)
			}
		}
		d.purged(now)
		wantKept("at first", 90, 14, 100)
		d.keeps(short, 3)
		d.purged(now)
		wantKept("kept shorter", 90, 6, 100)
		d.keeps(short, 90)
		d.purged(now)
		wantKept("kept longer", 90, 6, 100)
		d.keeps(long, 1)
		d.keeps(d.ProjectID, 2)
		d.purged(now)
		wantKept("the longest kept shorter", 2, 6, 1)
		d.purged(storetest.Noon.Add(1000 * days))
		wantKept("much later", 0, 0, 0)
		if diff := cmp.Diff(map[string]int64{"notices": 0, "bundles": 0, "fault_notices": 0, "notice_tokens": 0, "fault_users": 0, "named_buckets": 0, "backtraces": 0}, d.rowsOf(ofNotices...)); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
	})
}
