package store

import (
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/intake"
)

// merges merges faults, which are told by their ids, and splits them again.
type merges struct{ *desk }

func (m merges) merge(fault, into int64) {
	m.t.Helper()
	if err := m.MergeFault(m.t.Context(), noon, m.UserID, m.ProjectID, fault, sett.FaultMerge{IntoID: sett.Some(into)}); err != nil {
		m.t.Fatal(err)
	}
}

func (m merges) split(fault int64) {
	m.t.Helper()
	if err := m.SplitFault(m.t.Context(), noon, m.UserID, m.ProjectID, fault); err != nil {
		m.t.Fatal(err)
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
	m.t.Helper()
	f, err := m.FaultByID(m.t.Context(), m.ProjectID, fault)
	if err != nil {
		m.t.Fatal(err)
	}
	s.Notices, s.Users = f.NoticesCount, map[string]int64{}
	s.Listed = m.walk(fault)
	points, err := m.FaultSeries(m.t.Context(), m.ProjectID, fault, sett.PastHour, noon.Add(10*time.Minute))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, p := range points {
		s.Series += p.Count
	}
	users, _, err := m.AffectedUsers(m.t.Context(), m.ProjectID, fault, "", MostAffectedUsers)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, u := range users {
		s.Users[u.User] += u.Count
	}
	comments, _, err := m.ListComments(m.t.Context(), m.ProjectID, fault, sett.Page{Size: 100})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, c := range comments {
		s.Comments = append(s.Comments, c.Body)
	}
	return s
}

// walk counts the notices that the pages of a fault show, of which each must be older than the one before.
func (m merges) walk(fault int64) (n int64) {
	m.t.Helper()
	last, page := sett.NoticeID(1<<62), NoticePage{Page: sett.Page{Size: 2}}
	for {
		notices, marks, err := m.ListNotices(m.t.Context(), m.ProjectID, fault, page)
		if err != nil {
			m.t.Fatal(err)
		}
		for _, notice := range notices {
			if notice.Key >= last || notice.FaultID != fault {
				m.t.Errorf("notice %d of fault %d follows %d of fault %d", notice.Key, notice.FaultID, last, fault)
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
	m.t.Helper()
	if diff := cmp.Diff(want, m.shows(fault)); diff != "" {
		m.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func TestMergeAndSplit(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		bob := func(r *sett.Report) { r.User = "bob@example.test" }
		nobody := func(r *sett.Report) { r.User = "" }
		token := func(r *sett.Report) { r.Token, r.User = sett.UUID{15: 9}, "" }
		for i := range 3 {
			d.record(noon.Add(time.Duration(i)*time.Minute), sett.Limits{}, d.report("A"), d.report("B"), d.report("A", bob))
		}
		a, b := d.faultID("A"), d.faultID("B")
		d.comment(d.UserID, "A", "Of A.")
		d.comment(d.UserID, "B", "Of B.")
		d.update("B", sett.FaultChange{Resolved: sett.Some(true)})
		alone := [2]shown{d.shows(a), d.shows(b)}
		d.raised()

		d.merge(a, b)
		d.wantShown("merged", b, shown{9, 9, 9, map[string]int64{"ann@example.test": 6, "bob@example.test": 3}, []string{"Of A.", "Of B.", "Resolved.", fmt.Sprintf("Fault %d (A) was merged into this one.", a)}})
		if _, err := s.FaultByID(t.Context(), d.ProjectID, a); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a merged fault is found: %v", err)
		}
		if into, err := s.MergedInto(t.Context(), d.ProjectID, a); err != nil || into != b {
			t.Errorf("MergedInto() = %d, %v; want %d", into, err, b)
		}
		if f := d.fault("B"); f.CommentsCount != 2 || !f.Resolved {
			t.Errorf("the survivor has %d comments, resolved %v", f.CommentsCount, f.Resolved)
		}

		receipts := d.record(noon.Add(5*time.Minute), sett.Limits{}, d.report("A", token), d.report("B", nobody), d.report("A", nobody))
		if f := d.fault("B"); f.Resolved || f.NoticesCount != 12 || !f.LastNoticeAt.After(noon.Add(4*time.Minute)) {
			t.Errorf("after three more the survivor is %+v", f)
		}
		alerts := d.raised()
		if len(alerts) != 1 || alerts[0].FaultID != b || alerts[0].Facts.NoticesCount != 12 || !alerts[0].Facts.Reopened {
			t.Errorf("raised %+v, want that the survivor is open again with twelve", alerts)
		}
		if n, err := s.NoticeByUUID(t.Context(), d.ProjectID, receipts[0].ID); err != nil || n.FaultID != b {
			t.Errorf("the notice is of fault %d, %v; want %d", n.FaultID, err, b)
		}

		d.split(a)
		alone[0].Notices, alone[0].Listed, alone[0].Series = 8, 8, 8
		alone[1].Notices, alone[1].Listed, alone[1].Series = 4, 4, 4
		alone[0].Comments = []string{"Of A.", fmt.Sprintf("Split off fault %d, into which it was merged.", b)}
		alone[1].Comments = append(alone[1].Comments, fmt.Sprintf("Fault %d (A) was merged into this one.", a), "Reopened: it occurred again.", fmt.Sprintf("Fault %d (A) was split off again.", a))
		d.wantShown("split off", a, alone[0])
		d.wantShown("what it was split off", b, alone[1])
		if f := d.fault("A"); f.ID != a || f.CommentsCount != 1 {
			t.Errorf("split off: %+v", f)
		}
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"))
		if counts := [2]int64{d.fault("A").NoticesCount, d.fault("B").NoticesCount}; counts != [2]int64{9, 5} {
			t.Errorf("after one more for each: %v", counts)
		}
	})
}

func TestSplitGivesBackOnePartOfAChain(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"), d.report("B"), d.report("C"))
		d.record(noon.Add(time.Minute), sett.Limits{}, d.report("A"))
		a, b, c := d.faultID("A"), d.faultID("B"), d.faultID("C")
		d.comment(d.UserID, "A", "Of A.")
		d.merge(a, b)
		d.merge(b, c)
		parts := func() (lines []string) {
			found, err := s.ListParts(t.Context(), d.ProjectID, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range found {
				lines = append(lines, fmt.Sprintf("%s %d %v %v", p.Class, p.NoticesCount, p.Own(), p.LastNoticeAt.Truncate(time.Minute).Sub(noon)))
			}
			return lines
		}
		if diff := cmp.Diff([]string{"C 1 true 0s", "A 2 false 1m0s", "B 2 false 0s"}, parts()); diff != "" {
			t.Errorf("parts (-want +got):\n%s", diff)
		}
		d.record(noon, sett.Limits{}, d.report("A"))
		d.split(b)
		if counts := [2]int64{d.fault("B").NoticesCount, d.fault("C").NoticesCount}; counts != [2]int64{2, 4} || d.fault("C").CommentsCount != 1 {
			t.Errorf("with B split off: %v", counts)
		}
		d.split(a)
		if counts := [2]int64{d.fault("A").NoticesCount, d.fault("C").NoticesCount}; counts != [2]int64{3, 1} || d.fault("A").CommentsCount != 1 {
			t.Errorf("with A split off: %v", counts)
		}
		if last := d.fault("C").LastNoticeAt.Truncate(time.Minute); !last.Equal(noon) {
			t.Errorf("C has its last notice at %v", last)
		}
	})
}

func TestWhatCannotBeMerged(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		other := d.project("Other").ID
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"), d.report("C"),
			d.report("Staging", func(r *sett.Report) { r.Environment = "staging" }), d.report("Theirs", func(r *sett.Report) { r.ProjectID = other }))
		a, b, c := d.faultID("A"), d.faultID("B"), d.faultID("C")
		d.merge(c, b)
		for _, refused := range []struct {
			what        string
			fault, into int64
			code        sett.Code
		}{
			{"into itself", a, a, sett.Invalid},
			{"into nothing", a, 999, sett.Invalid},
			{"across environments", a, d.faultID("Staging"), sett.Invalid},
			{"across projects", a, d.faultID("Theirs"), sett.Invalid},
			{"that of another project", d.faultID("Theirs"), a, sett.NotFound},
			{"a merged one", c, a, sett.NotFound},
			{"into a merged one", a, c, sett.Invalid},
		} {
			err := s.MergeFault(t.Context(), noon, d.UserID, d.ProjectID, refused.fault, sett.FaultMerge{IntoID: sett.Some(refused.into)})
			if sett.CodeOf(err) != refused.code {
				t.Errorf("%s: %v, want %s", refused.what, err, refused.code)
			}
		}
		if err := s.SplitFault(t.Context(), noon, d.UserID, d.ProjectID, a); sett.CodeOf(err) != sett.Conflict {
			t.Errorf("split of what was not merged: %v", err)
		}
		if err := s.SplitFault(t.Context(), noon, d.UserID, other, c); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("split by another project: %v", err)
		}
	})
}

// A pause is of the fault that stays, and lasts as long as before the merge; that of the merged one waits for it.
func TestMergedFaultsAndPauses(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		d.record(noon, sett.Limits{}, append(d.times(20, "A"), d.report("B"))...)
		a, b := d.faultID("A"), d.faultID("B")
		d.pause("B", sett.Pause{Count: sett.Some(int64(10))})
		d.merge(a, b)
		d.raised()
		d.record(noon, sett.Limits{}, d.times(10, "A")...)
		if told := d.raised(); len(told) != 0 {
			t.Errorf("within the pause: %+v", told)
		}
		d.split(a)
		d.merge(a, b)
		d.record(noon, sett.Limits{}, d.report("A"))
		if told := d.raised(); len(told) != 1 || told[0].FaultID != b {
			t.Errorf("beyond the pause: %+v", told)
		}
		d.update("B", sett.FaultChange{Ignored: sett.Some(true)})
		if outcome := d.record(noon, sett.Limits{}, d.report("A"))[0].Outcome; outcome != sett.Ignored {
			t.Errorf("a notice of a fault merged into an ignored one is %s", outcome)
		}
	})
}

func TestSearchesMeanMergedNotices(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		d.record(noon, sett.Limits{}, d.report("A", func(r *sett.Report) { r.Facets = "\nhostname=db-1\n" }), d.report("B"), d.report("C"))
		d.merge(d.faultID("A"), d.faultID("B"))
		for q, want := range map[string][]string{"hostname:db-1": {"B"}, "hostname:web-1": {"B", "C"}, "-hostname:web-1": {"B"}} {
			if diff := cmp.Diff(want, d.find(q)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
		}
		search, err := sett.ParseSearch("hostname:db-1 hostname:db-1", noon)
		if err != nil {
			t.Fatal(err)
		}
		found, _, err := s.ListFaults(t.Context(), noon, d.ProjectID, FaultFilter{Search: search}, FaultPage{Order: Recent, Page: sett.Page{Size: 9}})
		if err != nil || len(found) != 1 || *found[0].InRange != 1 {
			t.Errorf("found %+v, %v", found, err)
		}
		for _, order := range []FaultOrder{Recent, Frequent, ByCreation} {
			shown, back := d.classes(order, 1, func() { d.record(noon.Add(time.Hour), sett.Limits{}, d.report("A")) })
			if len(shown) != 2 || len(back) != 2 {
				t.Errorf("%q shows %v, back %v", order, shown, back)
			}
		}
	})
}

func TestDeletingAFaultDeletesItsParts(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		d.recordBusy(noon, sett.Limits{}, d.many()...)
		d.merge(d.faultID("A"), d.faultID("B"))
		d.recordBusy(noon, sett.Limits{}, d.many()...)
		if err := s.DeleteFault(t.Context(), d.ProjectID, d.faultID("B")); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"fault_notices", "fault_users", "fault_buckets", "fault_counts"} {
			if n := d.numbers(`SELECT count(*) FROM `+table+` WHERE fault_id NOT IN (SELECT id FROM faults)`, 1)[0]; n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		if n := d.numbers(`SELECT count(*) FROM notices WHERE fault_id NOT IN (SELECT id FROM faults)`, 1)[0]; n != 0 {
			t.Errorf("%d notices are left", n)
		}
		d.record(noon, sett.Limits{}, d.report("A"))
		if n := d.fault("A").NoticesCount; n != 1 {
			t.Errorf("A occurs again with %d notices", n)
		}
	})
}

// Nothing of a fault or of its parts is left in any table once it is deleted; what was told of it to others stays theirs.
func TestDeletingAMergedFaultLeavesNothing(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		d.furnish(d.ProjectID)
		ids := d.faultsOf(d.ProjectID)
		survivor, merged := ids[0], ids[len(ids)-1]
		d.record(noon.Add(time.Hour), sett.Limits{}, d.report("Merged", func(r *sett.Report) { r.Token = sett.UUID{15: 9} }))
		d.run(`INSERT INTO comments (fault_id, project_id, event, source, author_id, author, body, notices_count, created_at, part_id) VALUES ($1, $2, '', 'web', 0, '', 'x', 0, 0, $3)`, survivor, d.ProjectID, merged)
		d.run(`INSERT INTO fault_shares (fault_id, project_id, hash, made_by, created_at) VALUES ($1, $2, $3, 0, 0)`, merged, d.ProjectID, []byte("merged"))
		before := d.ofFaults(survivor, merged)
		for _, table := range []string{"comments", "fault_buckets", "fault_counts", "fault_links", "fault_notices", "fault_shares", "fault_users", "merged_links", "notices"} {
			if before[table] == 0 {
				t.Errorf("the test has no row in %s that could be left", table)
			}
		}
		if err := s.DeleteFault(t.Context(), d.ProjectID, survivor); err != nil {
			t.Fatal(err)
		}
		for table, n := range d.ofFaults(survivor, merged) {
			if n > 0 && table != "alerts" && table != "deliveries" {
				t.Errorf("%d of %d rows are left in %s", n, before[table], table)
			}
		}
		if n := d.numbers(`SELECT count(*) FROM merged_faults`, 1)[0]; n != 0 {
			t.Errorf("%d merged faults are left", n)
		}
		if n := d.numbers(`SELECT count(*) FROM notice_tokens t WHERE NOT EXISTS (SELECT 1 FROM notices n WHERE n.id = t.notice_id)`, 1)[0]; n != 0 {
			t.Errorf("%d tokens of deleted notices are taken", n)
		}
		if _, err := s.MergedInto(t.Context(), d.ProjectID, merged); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("the merged fault is still said to be elsewhere: %v", err)
		}
	})
}

// ofFaults counts the rows of each table that belong to some faults.
func (m merges) ofFaults(faults ...int64) map[string]int64 {
	m.t.Helper()
	counts := map[string]int64{}
	rows, err := m.Read.QueryContext(m.t.Context(), ownedColumns[m.Engine()])
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil || column != "fault_id" {
			return err
		}
		counts[table] = m.count("SELECT count(*) FROM "+table+" WHERE fault_id IN ", faults...)
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return counts
}

// wantExact compares every counter of faults with the notices that are stored.
func (m merges) wantExact(when string) {
	m.t.Helper()
	for what, wrong := range map[string]string{
		"faults": `SELECT count(*) FROM fault_counts c WHERE c.notices_count <> (SELECT count(*) FROM notices n
			WHERE n.fault_id = c.fault_id OR n.fault_id IN (SELECT m.id FROM merged_faults m WHERE m.into_id = c.fault_id))`,
		"parts":   `SELECT count(*) FROM merged_faults c WHERE c.notices_count <> (SELECT count(*) FROM notices n WHERE n.fault_id = c.id)`,
		"indexes": `SELECT count(*) FROM notices n WHERE NOT EXISTS (SELECT 1 FROM fault_notices k WHERE k.fault_id = n.fault_id AND k.id = n.id)`,
		"minutes": `SELECT count(*) FROM (SELECT n.fault_id, count(*) AS n, (SELECT coalesce(sum(b.count), 0) FROM fault_buckets b
			WHERE b.width = 60 AND b.fault_id = n.fault_id) AS counted FROM notices n GROUP BY n.fault_id) x WHERE x.n <> x.counted`,
	} {
		if n := m.numbers(wrong, 1)[0]; n != 0 {
			m.t.Errorf("%s: %d %s are counted wrongly", when, n, what)
		}
	}
}

// What waits to be counted when faults are merged or split is counted where it belongs then.
func TestMergesWhileNoticesWait(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := merges{newDesk(t, s)}
		d.recordBusy(noon, sett.Limits{}, d.many()...)
		a, b := d.faultID("A"), d.faultID("B")
		d.merge(a, b)
		d.recordBusy(noon, sett.Limits{}, d.many()...)
		if err := s.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wantExact("merged")
		d.recordBusy(noon, sett.Limits{}, d.many()...)
		d.split(a)
		if err := s.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.wantExact("split")
		d.wantCounts("in the end", all(3*intake.BusyBatch))
	})
}

func TestMergesSurviveACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := openTest(t, db.Options{Dir: dir})
	if _, _, err := before.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := merges{newDesk(t, before)}
	d.recordBusy(noon, sett.Limits{}, d.many()...)
	d.merge(d.faultID("A"), d.faultID("B"))
	d.recordBusy(noon.Add(time.Second), sett.Limits{}, d.many()...)
	after := openTest(t, db.Options{Dir: dir}) // what the first store has in memory is lost to this one
	if _, err := after.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.wantExact("after the crash")
	if n := d.fault("B").NoticesCount; n != 4*intake.BusyBatch/3 {
		t.Errorf("the survivor has %d notices, want %d", n, 4*intake.BusyBatch/3)
	}
}

// Two nodes record and count while people merge and split.
func TestMergesBesideTwoNodes(t *testing.T) {
	t.Parallel()
	dsn := freshPostgres(t)
	nodes := []*Store{openTest(t, db.Options{Database: dsn}), openTest(t, db.Options{Database: dsn})}
	d := merges{newDesk(t, nodes[0])}
	d.record(noon, sett.Limits{}, d.many()...)
	a, b := d.faultID("A"), d.faultID("B")
	var busy sync.WaitGroup
	for i, node := range nodes {
		busy.Go(func() {
			for round := range 12 {
				_, err := node.RecordNotices(t.Context(), noon.Add(time.Duration(round)*time.Second), sett.Limits{}, Intake{Reports: d.many()})
				if err == nil && round%2 == i {
					err = node.Fold(t.Context())
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
		if err := node.Fold(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	d.wantExact("with two nodes")
	if n := d.fault("B").NoticesCount; n != 25*2*intake.BusyBatch/3 {
		t.Errorf("the survivor has %d notices, want %d", n, 25*2*intake.BusyBatch/3)
	}
}
