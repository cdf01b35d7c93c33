package faultdb_test

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// merges merges faults, which are distinguished by their ids, and splits them again.
type merges struct{ *desk }

func (m merges) merge(fault, into int64) {
	m.T.Helper()
	if err := m.Faults.MergeFault(m.T.Context(), storetest.Noon, m.UserID, m.ProjectID, fault, triage.FaultMerge{IntoID: sett.Some(into)}); err != nil {
		m.T.Fatal(err)
	}
}

func (m merges) split(fault int64) {
	m.T.Helper()
	if err := m.Faults.SplitFault(m.T.Context(), storetest.Noon, m.UserID, m.ProjectID, fault); err != nil {
		m.T.Fatal(err)
	}
}

// shown is all that is shown of the notices of a fault.
type shown struct {
	Notices, Listed, Series int64
	Users                   map[string]int64
	Comments                []string
}

// shows reads a fault in small pages, forth and back.
func (m merges) shows(fault int64) (s shown) {
	m.T.Helper()
	f, err := m.Faults.FaultByID(m.T.Context(), m.ProjectID, fault)
	if err != nil {
		m.T.Fatal(err)
	}
	s.Notices, s.Users = f.NoticesCount, map[string]int64{}
	s.Listed = m.walk(fault)
	points, err := m.Faults.FaultSeries(m.T.Context(), m.ProjectID, fault, stats.PastHour, storetest.Noon.Add(10*time.Minute))
	if err != nil {
		m.T.Fatal(err)
	}
	for _, p := range points {
		s.Series += p.Count
	}
	users, _, err := m.Faults.AffectedUsers(m.T.Context(), m.ProjectID, fault, "", faultdb.MostAffectedUsers)
	if err != nil {
		m.T.Fatal(err)
	}
	for _, u := range users {
		s.Users[u.User] += u.Count
	}
	comments, _, err := m.Faults.ListComments(m.T.Context(), m.ProjectID, fault, sett.Page{Size: 100})
	if err != nil {
		m.T.Fatal(err)
	}
	for _, c := range comments {
		s.Comments = append(s.Comments, c.Body)
	}
	return s
}

// walk counts the notices that the pages of a fault show, of which each must be older than the one before.
func (m merges) walk(fault int64) (n int64) {
	m.T.Helper()
	last, page := sett.NoticeID(1<<62), faultdb.NoticePage{Page: sett.Page{Size: 2}}
	for {
		notices, marks, err := m.Faults.ListNotices(m.T.Context(), m.ProjectID, fault, page)
		if err != nil {
			m.T.Fatal(err)
		}
		for _, notice := range notices {
			if notice.Key >= last || notice.FaultID != fault {
				m.T.Errorf("notice %d of fault %d follows %d of fault %d", notice.Key, notice.FaultID, last, fault)
			}
			last, n = notice.Key, n+1
		}
		if marks.Next == "" {
			return n
		}
		page.Mark = marks.Next
	}
}

func (m merges) wantShown(when string, fault int64, want shown) {
	m.T.Helper()
	if diff := cmp.Diff(want, m.shows(fault)); diff != "" {
		m.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func TestMergeAndSplit(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		bob := func(r *faults.Report) { r.User = "bob@example.test" }
		anonymous := func(r *faults.Report) { r.User = "" }
		token := func(r *faults.Report) { r.Token, r.User = sett.UUID{15: 9}, "" }
		for i := range 3 {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("A", bob))
		}
		a, b := d.FaultID("A"), d.FaultID("B")
		d.Comment(d.UserID, "A", "Of A.")
		d.Comment(d.UserID, "B", "Of B.")
		d.Update("B", faults.FaultChange{Resolved: sett.Some(true)})
		alone := [2]shown{d.shows(a), d.shows(b)}
		d.Raised()

		d.merge(a, b)
		d.wantShown("merged", b, shown{9, 9, 9, map[string]int64{"ann@example.test": 6, "bob@example.test": 3}, []string{"Of A.", "Of B.", "Resolved.", fmt.Sprintf("Error #%d (A) was merged into this one.", a)}})
		if _, err := s.Faults.FaultByID(t.Context(), d.ProjectID, a); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a merged fault is found: %v", err)
		}
		if into, err := s.Faults.MergedInto(t.Context(), d.ProjectID, a); err != nil || into != b {
			t.Errorf("MergedInto() = %d, %v; want %d", into, err, b)
		}
		if f := d.Fault("B"); f.CommentsCount != 2 || !f.Resolved {
			t.Errorf("the survivor has %d comments, resolved %v", f.CommentsCount, f.Resolved)
		}

		receipts := d.Record(storetest.Noon.Add(5*time.Minute), accounts.Limits{}, d.Report("A", token), d.Report("B", anonymous), d.Report("A", anonymous))
		if f := d.Fault("B"); f.Resolved || f.NoticesCount != 12 || !f.LastNoticeAt.After(storetest.Noon.Add(4*time.Minute)) {
			t.Errorf("after three more the survivor is %+v", f)
		}
		alerts := d.Raised()
		if len(alerts) != 1 || alerts[0].FaultID != b || alerts[0].Facts.NoticesCount != 12 || !alerts[0].Facts.Reopened {
			t.Errorf("raised %+v, want that the survivor is open again with twelve", alerts)
		}
		if n, err := s.Faults.NoticeByUUID(t.Context(), d.ProjectID, receipts[0].ID); err != nil || n.FaultID != b {
			t.Errorf("the notice is of fault %d, %v; want %d", n.FaultID, err, b)
		}

		d.split(a)
		alone[0].Notices, alone[0].Listed, alone[0].Series = 8, 8, 8
		alone[1].Notices, alone[1].Listed, alone[1].Series = 4, 4, 4
		alone[0].Comments = []string{"Of A.", fmt.Sprintf("Split off error #%d, into which it was merged.", b)}
		alone[1].Comments = append(alone[1].Comments, fmt.Sprintf("Error #%d (A) was merged into this one.", a), "Reopened: it occurred again.", fmt.Sprintf("Error #%d (A) was split off again.", a))
		d.wantShown("split off", a, alone[0])
		d.wantShown("what it was split off", b, alone[1])
		if f := d.Fault("A"); f.ID != a || f.CommentsCount != 1 {
			t.Errorf("split off: %+v", f)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		if counts := [2]int64{d.Fault("A").NoticesCount, d.Fault("B").NoticesCount}; counts != [2]int64{9, 5} {
			t.Errorf("after one more for each: %v", counts)
		}
	})
}

func TestSplitGivesBackOnePartOfAChain(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("B"), d.Report("C"))
		d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.Report("A"))
		a, b, c := d.FaultID("A"), d.FaultID("B"), d.FaultID("C")
		d.Comment(d.UserID, "A", "Of A.")
		d.merge(a, b)
		d.merge(b, c)
		parts := func() (lines []string) {
			found, err := s.Faults.ListParts(t.Context(), d.ProjectID, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range found {
				lines = append(lines, fmt.Sprintf("%s %d %v %v", p.Class, p.NoticesCount, p.Own(), p.LastNoticeAt.Truncate(time.Minute).Sub(storetest.Noon)))
			}
			return lines
		}
		if diff := cmp.Diff([]string{"C 1 true 0s", "A 2 false 1m0s", "B 2 false 0s"}, parts()); diff != "" {
			t.Errorf("parts (-want +got):\n%s", diff)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		d.split(b)
		if counts := [2]int64{d.Fault("B").NoticesCount, d.Fault("C").NoticesCount}; counts != [2]int64{2, 4} || d.Fault("C").CommentsCount != 1 {
			t.Errorf("with B split off: %v", counts)
		}
		d.split(a)
		if counts := [2]int64{d.Fault("A").NoticesCount, d.Fault("C").NoticesCount}; counts != [2]int64{3, 1} || d.Fault("A").CommentsCount != 1 {
			t.Errorf("with A split off: %v", counts)
		}
		if last := d.Fault("C").LastNoticeAt.Truncate(time.Minute); !last.Equal(storetest.Noon) {
			t.Errorf("C has its last notice at %v", last)
		}
	})
}

func TestWhatCannotBeMerged(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		other := d.Project("Other").ID
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C"),
			d.Report("Staging", func(r *faults.Report) { r.Environment = "staging" }), d.Report("Theirs", func(r *faults.Report) { r.ProjectID = other }))
		a, b, c := d.FaultID("A"), d.FaultID("B"), d.FaultID("C")
		d.merge(c, b)
		for _, refused := range []struct {
			what        string
			fault, into int64
			code        sett.Code
		}{
			{"into itself", a, a, sett.Invalid},
			{"into nothing", a, 999, sett.Invalid},
			{"across environments", a, d.FaultID("Staging"), sett.Invalid},
			{"across projects", a, d.FaultID("Theirs"), sett.Invalid},
			{"that of another project", d.FaultID("Theirs"), a, sett.NotFound},
			{"a merged one", c, a, sett.NotFound},
			{"into a merged one", a, c, sett.Invalid},
		} {
			err := s.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, refused.fault, triage.FaultMerge{IntoID: sett.Some(refused.into)})
			if sett.CodeOf(err) != refused.code {
				t.Errorf("%s: %v, want %s", refused.what, err, refused.code)
			}
		}
		if err := s.Faults.SplitFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, a); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("split of what was not merged: %v", err)
		}
		if err := s.Faults.SplitFault(t.Context(), storetest.Noon, d.UserID, other, c); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("split by another project: %v", err)
		}
	})
}

// A pause is of the fault that stays, and lasts as long as before the merge; that of the merged one waits for it.
func TestMergedFaultsAndPauses(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		d.Record(storetest.Noon, accounts.Limits{}, append(d.Times(20, "A"), d.Report("B"))...)
		a, b := d.FaultID("A"), d.FaultID("B")
		d.Pause("B", faults.Pause{Count: sett.Some(int64(10))})
		d.merge(a, b)
		d.Raised()
		d.Record(storetest.Noon, accounts.Limits{}, d.Times(10, "A")...)
		if alerts := d.Raised(); len(alerts) != 0 {
			t.Errorf("within the pause: %+v", alerts)
		}
		d.split(a)
		d.merge(a, b)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		if alerts := d.Raised(); len(alerts) != 1 || alerts[0].FaultID != b {
			t.Errorf("beyond the pause: %+v", alerts)
		}
		d.Update("B", faults.FaultChange{Ignored: sett.Some(true)})
		if outcome := d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))[0].Outcome; outcome != accounts.Ignored {
			t.Errorf("a notice of a fault merged into an ignored one is %s", outcome)
		}
	})
}

func TestDeletingAFaultDeletesItsParts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		d.merge(d.FaultID("A"), d.FaultID("B"))
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID("B")); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"fault_notices", "fault_users", "fault_buckets", "fault_counts"} {
			if n := d.Numbers(`SELECT count(*) FROM `+table+` WHERE fault_id NOT IN (SELECT id FROM faults)`, 1)[0]; n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		if n := d.Numbers(`SELECT count(*) FROM notices WHERE fault_id NOT IN (SELECT id FROM faults)`, 1)[0]; n != 0 {
			t.Errorf("%d notices are left", n)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		if n := d.Fault("A").NoticesCount; n != 1 {
			t.Errorf("A occurs again with %d notices", n)
		}
	})
}

// Nothing of a fault or of its parts is left in any table once it is deleted; notifications about it that were sent remain.
func TestDeletingAMergedFaultLeavesNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		d.Furnish(d.ProjectID)
		ids := d.FaultsOf(d.ProjectID)
		survivor, merged := ids[0], ids[len(ids)-1]
		d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("Merged", func(r *faults.Report) { r.Token = sett.UUID{15: 9} }))
		d.Run(`INSERT INTO comments (fault_id, project_id, event, source, author_id, author, body, notices_count, created_at, part_id) VALUES ($1, $2, '', 'web', 0, '', 'x', 0, 0, $3)`, survivor, d.ProjectID, merged)
		d.Run(`INSERT INTO fault_shares (fault_id, project_id, hash, made_by, created_at) VALUES ($1, $2, $3, 0, 0)`, merged, d.ProjectID, []byte("merged"))
		before := d.ofFaults(survivor, merged)
		for _, table := range []string{"comments", "fault_buckets", "fault_counts", "fault_links", "fault_notices", "fault_shares", "fault_users", "merged_links", "notices"} {
			if before[table] == 0 {
				t.Errorf("the test has no row in %s that could be left", table)
			}
		}
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, survivor); err != nil {
			t.Fatal(err)
		}
		for table, n := range d.ofFaults(survivor, merged) {
			if n > 0 && table != "alerts" && table != "deliveries" {
				t.Errorf("%d of %d rows are left in %s", n, before[table], table)
			}
		}
		if n := d.Numbers(`SELECT count(*) FROM merged_faults`, 1)[0]; n != 0 {
			t.Errorf("%d merged faults are left", n)
		}
		if n := d.Numbers(`SELECT count(*) FROM notice_tokens t WHERE NOT EXISTS (SELECT 1 FROM notices n WHERE n.id = t.notice_id)`, 1)[0]; n != 0 {
			t.Errorf("%d tokens of deleted notices are taken", n)
		}
		if _, err := s.Faults.MergedInto(t.Context(), d.ProjectID, merged); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("the merged fault is still said to be elsewhere: %v", err)
		}
	})
}

// ofFaults counts the rows of each table that belong to some faults.
func (m merges) ofFaults(faults ...int64) map[string]int64 {
	m.T.Helper()
	counts := map[string]int64{}
	rows, err := m.Read.QueryContext(m.T.Context(), storetest.OwnedColumns[m.Engine()])
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil || column != "fault_id" {
			return err
		}
		counts[table] = m.Count("SELECT count(*) FROM "+table+" WHERE fault_id IN ", faults...)
		return nil
	})
	if err != nil {
		m.T.Fatal(err)
	}
	return counts
}

// wantExact compares every counter of faults with the notices that are stored.
func (m merges) wantExact(when string) {
	m.T.Helper()
	for what, wrong := range map[string]string{
		"faults": `SELECT count(*) FROM fault_counts c WHERE c.notices_count <> (SELECT count(*) FROM notices n
			WHERE n.fault_id = c.fault_id OR n.fault_id IN (SELECT m.id FROM merged_faults m WHERE m.into_id = c.fault_id))`,
		"parts":   `SELECT count(*) FROM merged_faults c WHERE c.notices_count <> (SELECT count(*) FROM notices n WHERE n.fault_id = c.id)`,
		"indexes": `SELECT count(*) FROM notices n WHERE NOT EXISTS (SELECT 1 FROM fault_notices k WHERE k.fault_id = n.fault_id AND k.id = n.id)`,
		"minutes": `SELECT count(*) FROM (SELECT n.fault_id, count(*) AS n, (SELECT coalesce(sum(b.count), 0) FROM fault_buckets b
			WHERE b.width = 60 AND b.fault_id = n.fault_id) AS counted FROM notices n GROUP BY n.fault_id) x WHERE x.n <> x.counted`,
	} {
		if n := m.Numbers(wrong, 1)[0]; n != 0 {
			m.T.Errorf("%s: %d %s are counted wrongly", when, n, what)
		}
	}
}

// What waits to be counted when faults are merged or split is counted where it belongs then.
func TestMergesWhileNoticesWait(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := merges{newDesk(t, s)}
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		a, b := d.FaultID("A"), d.FaultID("B")
		d.merge(a, b)
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wantExact("merged")
		d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
		d.split(a)
		if err := s.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wantExact("split")
		d.WantCounts("in the end", storetest.All(3*storetest.BusyBatch))
	})
}

func TestMergesSurviveACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := storetest.OpenTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := merges{newDesk(t, before)}
	d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Many()...)
	d.merge(d.FaultID("A"), d.FaultID("B"))
	d.RecordBusy(storetest.Noon.Add(time.Second), accounts.Limits{}, d.Many()...)
	after := storetest.OpenTest(t, db.Options{Dir: dir}) // what the first store has in memory is lost to this one
	if _, err := after.Intake.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantExact("after the crash")
	if n := d.Fault("B").NoticesCount; n != 4*storetest.BusyBatch/3 {
		t.Errorf("the survivor has %d notices, want %d", n, 4*storetest.BusyBatch/3)
	}
}

// Two nodes record and count while people merge and split.
func TestMergesBesideTwoNodes(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	nodes := []*store.Store{storetest.OpenTest(t, db.Options{Database: dsn}), storetest.OpenTest(t, db.Options{Database: dsn})}
	d := merges{newDesk(t, nodes[0])}
	d.Record(storetest.Noon, accounts.Limits{}, d.Many()...)
	a, b := d.FaultID("A"), d.FaultID("B")
	var busy sync.WaitGroup
	for i, node := range nodes {
		busy.Go(func() {
			for round := range 12 {
				_, err := node.Intake.RecordNotices(t.Context(), storetest.Noon.Add(time.Duration(round)*time.Second), accounts.Limits{}, intakedb.Intake{Reports: d.Many()})
				if err == nil && round%2 == i {
					err = node.Intake.Flush(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 6 {
		d.merge(a, b)
		d.split(a)
	}
	d.merge(a, b)
	busy.Wait()
	for _, node := range nodes {
		if err := node.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	d.wantExact("with two nodes")
	if n := d.Fault("B").NoticesCount; n != 25*2*storetest.BusyBatch/3 {
		t.Errorf("the survivor has %d notices, want %d", n, 25*2*storetest.BusyBatch/3)
	}
}
