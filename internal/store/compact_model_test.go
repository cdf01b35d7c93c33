package store_test

import (
	order "cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/column"
	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// keptNotice is a notice as the model knows it.
type keptNotice struct {
	project, part int64
	facets        string
	action        string // in its payload, unlike that of any other
}

// compactModel does what users, clients and time do to notices, and knows what must be left of them.
type compactModel struct {
	*desk
	r        *rand.Rand
	now      time.Time
	projects []int64
	kept     map[int64]keptNotice // by id
	into     map[int64]int64      // merged faults
	n        int                  // notices so far
	old      bool                 // they are stored as an earlier version did
}

// Whatever happens to notices, in whatever order – they are compacted, deleted, purged, merged, rewritten, or come from an earlier version –,
// each of those that are left is found by every search that describes it, read whole, and stored once.
func TestCompactedNoticesAreTheSame(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		seed := rand.Uint64()
		m := &compactModel{desk: d, r: rand.New(rand.NewPCG(seed, 0)), now: storetest.Noon, kept: map[int64]keptNotice{}, into: map[int64]int64{}}
		m.projects = []int64{d.ProjectID, d.Project("Other").ID}
		for m.old = true; m.n < 100; {
			m.record()
		}
		m.old = false
		d.Run(`INSERT INTO old_notices (id, upto, last) SELECT 0, 0, max(id) FROM notices`)
		steps := []func(){m.record, m.record, m.record, m.record, m.compact, m.compact, m.age, m.delete, m.merge, m.split, m.purge, m.rewrite}
		for step := range 60 {
			steps[m.r.IntN(len(steps))]()
			if step%5 == 4 {
				m.check(fmt.Sprintf("seed %d, step %d", seed, step))
			}
			if t.Failed() {
				return
			}
		}
	})
}

// Notices that are compacted, moved from an earlier version, deleted and merged at the same time are stored once or not at all.
func TestCompactionBesideDeletions(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		m := &compactModel{desk: d, r: rand.New(rand.NewPCG(rand.Uint64(), 0)), now: storetest.Noon, kept: map[int64]keptNotice{}, into: map[int64]int64{}}
		m.projects = []int64{d.ProjectID, d.Project("Other").ID}
		for m.old = true; m.n < 300; {
			m.record()
		}
		m.old = false
		d.Run(`INSERT INTO old_notices (id, upto, last) SELECT 0, 0, max(id) FROM notices`)
		for m.n < 900 {
			m.record()
		}
		if err := s.Intake.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Blocks.Sizes = block.Sizes{Most: 30, Least: 5}
		o := purgeAt(m.now.Add(48 * time.Hour))
		o.Rest = func(context.Context, time.Duration) error { time.Sleep(time.Millisecond); return nil }
		ended := make(chan error, 2)
		for _, work := range []func() error{
			func() error { return ignoring(s.Compact(t.Context(), o)) },
			func() error { return ignoring(s.RewriteBlocks(t.Context(), o)) },
		} {
			go func() {
				for range 10 {
					if err := work(); err != nil {
						ended <- err
						return
					}
				}
				ended <- nil
			}()
		}
		for step := range 40 { // of the first project: one after another, as users do
			[]func(){m.deleteNotice, m.deleteNotice, m.deleteNotice, m.merge, m.delete}[step%5]()
		}
		if err := errors.Join(<-ended, <-ended); err != nil {
			t.Fatal(err)
		}
		m.check("beside deletions")
		m.compact()
		m.rewrite()
		m.check("after them")
	})
}

// deleteNotice deletes a notice of the first project.
func (m *compactModel) deleteNotice() {
	for id, n := range m.kept {
		if n.project != m.ProjectID {
			continue
		}
		if err := m.InWhole(m.T.Context(), "delete a notice", func(t *store.Tx) error { return t.DeleteNotice(m.T.Context(), id) }); err != nil {
			m.T.Fatal(err)
		}
		delete(m.kept, id)
		return
	}
}

// record records notices.
func (m *compactModel) record() {
	m.now = m.now.Add(time.Duration(1+m.r.IntN(300)) * time.Minute)
	before := m.Numbers(`SELECT coalesce(max(id), 0) FROM notices`, 1)[0]
	var reports []*faults.Report
	for range 1 + m.r.IntN(40) {
		m.n++
		p := m.Report(fmt.Sprintf("E%d", m.r.IntN(6)), func(r *faults.Report) {
			r.ProjectID = m.projects[m.r.IntN(len(m.projects))]
			r.User = fmt.Sprintf("u%d@example.test", m.r.IntN(5))
			r.Facets = fmt.Sprintf("\nhostname=web-%d\ncontext.user_id=%d\ncontext.unlike=%d\n", m.r.IntN(3), m.r.IntN(20), m.n)
			if m.r.IntN(4) == 0 {
				r.Facets += "params.rare=yes\n"
			}
			mark := fmt.Sprintf(`{"request":{"action":"n%d"},`, m.n)
			r.Body = []byte(mark + string(r.Body[1:]))
			r.BacktraceStart, r.BacktraceEnd = r.BacktraceStart+len(mark)-1, r.BacktraceEnd+len(mark)-1
		})
		reports = append(reports, p.Report)
	}
	m.Record(m.now, accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
	var ids []int64
	rows, err := m.Read.QueryContext(m.T.Context(), m.Text(`SELECT id FROM notices WHERE id > $1 ORDER BY id`), before)
	if err := db.ScanAll(rows, err, db.ScanID(func(id int64) { ids = append(ids, id) })); err != nil || len(ids) != len(reports) {
		m.T.Fatalf("%d notices of %d are stored, %v", len(ids), len(reports), err)
	}
	for i, id := range ids {
		var part int64
		m.Scan(`SELECT fault_id FROM notices WHERE id = $1`, []any{id}, &part)
		m.kept[id] = keptNotice{reports[i].ProjectID, part, reports[i].Facets, fmt.Sprintf("n%d", m.n-len(ids)+1+i)}
	}
	if m.old {
		m.makeOld(ids, before)
	}
}

// makeOld stores the notices of a batch as earlier versions did: with their facets beside them.
func (m *compactModel) makeOld(ids []int64, before int64) {
	for _, id := range ids {
		m.Run(`UPDATE notices SET facets = $2 WHERE id = $1`, id, m.kept[id].facets)
	}
	m.Run(`DELETE FROM bundle_facets WHERE bundle_id > $1`, before)
}

// errCut ends a compaction early, as a process does that dies.
var errCut = errors.New("cut off")

func (m *compactModel) compact() {
	usual := m.Blocks.Sizes
	defer func() { m.Blocks.Sizes = usual }()
	m.Blocks.Sizes.Most = 1 + m.r.Int64N(60)
	m.Blocks.Sizes.Least = 1 + m.r.Int64N(m.Blocks.Sizes.Most)
	if err := m.Intake.Settle(m.T.Context()); err != nil {
		m.T.Fatal(err)
	}
	o, pieces := purgeAt(m.now.Add(48*time.Hour)), m.r.IntN(10)
	o.Rest = func(context.Context, time.Duration) error {
		if pieces--; pieces == 0 {
			return errCut
		}
		return nil
	}
	if _, err := m.Store.Compact(m.T.Context(), o); err != nil && !errors.Is(err, errCut) {
		m.T.Fatal(err)
	}
	if !m.SQLite() {
		m.Run(`DELETE FROM leases`) // that of the process that died has run out
	}
}

func (m *compactModel) age() { m.now = m.now.Add(time.Duration(m.r.IntN(20)) * 24 * time.Hour) }

// fault returns a fault of the first project, or 0.
func (m *compactModel) fault() int64 {
	ids := m.FaultsOf(m.ProjectID)
	ids = slices.DeleteFunc(ids, func(id int64) bool { return m.into[id] != 0 })
	if len(ids) == 0 {
		return 0
	}
	return ids[m.r.IntN(len(ids))]
}

func (m *compactModel) drop(gone func(id int64, n keptNotice) bool) {
	maps.DeleteFunc(m.kept, gone)
}

func (m *compactModel) delete() {
	id := m.fault()
	if id == 0 || m.r.IntN(2) == 0 {
		return
	}
	err := m.Faults.DeleteFault(m.T.Context(), m.ProjectID, id)
	for more := true; more && err == nil; { // an error with many parts is deleted in the background
		more, err = m.Faults.SweepFaults(m.T.Context())
	}
	if err != nil {
		m.T.Fatal(err)
	}
	m.drop(func(_ int64, n keptNotice) bool { return n.part == id || m.into[n.part] == id })
	maps.DeleteFunc(m.into, func(_, into int64) bool { return into == id })
}

func (m *compactModel) merge() {
	one, other := m.fault(), m.fault()
	if one == other || one == 0 {
		return
	}
	if err := m.Faults.MergeFault(m.T.Context(), m.now, m.UserID, m.ProjectID, one, triage.FaultMerge{IntoID: sett.Some(other)}); err != nil {
		m.T.Fatal(err)
	}
	for part, into := range m.into {
		if into == one {
			m.into[part] = other
		}
	}
	m.into[one] = other
}

func (m *compactModel) split() {
	parts := db.Sorted(m.into, order.Compare)
	if len(parts) == 0 {
		return
	}
	if err := m.Faults.SplitFault(m.T.Context(), m.now, m.UserID, m.ProjectID, parts[0]); err != nil {
		m.T.Fatal(err)
	}
	delete(m.into, parts[0])
}

func (m *compactModel) purge() {
	m.keeps(m.projects[1], int64(5+m.r.IntN(30)))
	days := m.Numbers(fmt.Sprintf(`SELECT (SELECT purge_days FROM projects WHERE id = %d), (SELECT purge_days FROM projects WHERE id = %d)`, m.projects[0], m.projects[1]), 2)
	m.purged(m.now)
	m.drop(func(id int64, n keptNotice) bool {
		return id < faultdb.NoticeIDAt(accounts.KeptFrom(m.now, days[slices.Index(m.projects, n.project)]))
	})
}

func (m *compactModel) rewrite() {
	if _, err := m.RewriteBlocks(m.T.Context(), purgeAt(m.now)); err != nil {
		m.T.Fatal(err)
	}
	if n := m.Numbers(`SELECT count(*) FROM blocks WHERE rewrites`, 1)[0]; n != 0 {
		m.T.Errorf("%d blocks have deleted notices", n)
	}
}

// check compares everything that is stored with the model.
func (m *compactModel) check(when string) {
	m.T.Helper()
	for _, project := range m.projects {
		for _, q := range []string{"-params.absent:x", "hostname:web-1", "-hostname:web-1", "context.user_id:7", "context.user_id:1*", "params.rare:yes hostname:web-2", "params.rare:", "context.unlike:" + fmt.Sprint(1+m.n*3/4)} {
			m.checkSearch(when, project, q)
		}
		m.checkNotices(when, project)
	}
	if got := m.Numbers(`SELECT count(*), (SELECT count(*) FROM fault_notices) FROM notices`, 2); !cmp.Equal(got, []int64{int64(len(m.kept)), int64(len(m.kept))}) {
		m.T.Errorf("%s: notices and those of faults: %v, want %d", when, got, len(m.kept))
	}
}

// checkSearch wants a search to find each notice that it describes once, and to count them by fault in the list.
func (m *compactModel) checkSearch(when string, project int64, q string) {
	m.T.Helper()
	search, problem := query.Parse(q, m.now)
	if problem != "" {
		m.T.Fatal(problem)
	}
	terms := column.Terms(search)
	want, inRange := map[int64][]int64{}, map[int64]int64{}
	for id, n := range m.kept {
		if n.project == project && column.Match(terms, n.facets) == column.Yes {
			want[n.part] = append(want[n.part], id)
			inRange[order.Or(m.into[n.part], n.part)]++
		}
	}
	var found block.Found
	err := m.Snapshot(m.T.Context(), "search", func(q db.Querier) (err error) {
		found, err = m.Blocks.Find(m.T.Context(), q, project, block.Search{Terms: terms, Keep: len(m.kept) + 1})
		return err
	})
	if err != nil {
		m.T.Fatalf("%s: %s: %v", when, q, err)
	}
	for _, ids := range []map[int64][]int64{want, found.IDs} {
		for _, list := range ids {
			slices.Sort(list)
		}
	}
	if diff := cmp.Diff(want, found.IDs); diff != "" {
		m.T.Errorf("%s: %s finds (-want +got):\n%s", when, q, diff)
	}
	faults, _, err := m.Search.ListFaults(m.T.Context(), m.now, project, searchdb.Filter{Search: search}, searchdb.Page{Page: sett.Page{Size: 25}})
	if err != nil {
		m.T.Fatal(err)
	}
	got := map[int64]int64{}
	for _, f := range faults {
		got[f.ID] = *f.InRange
	}
	if diff := cmp.Diff(inRange, got); diff != "" {
		m.T.Errorf("%s: %s lists (-want +got):\n%s", when, q, diff)
	}
}

// checkNotices wants the notices of each fault of a project to be listed, with what was sent.
func (m *compactModel) checkNotices(when string, project int64) {
	m.T.Helper()
	want := map[int64]string{}
	for id, n := range m.kept {
		if n.project == project {
			want[id] = n.action
		}
	}
	for _, id := range m.FaultsOf(project) {
		if m.into[id] != 0 {
			continue
		}
		for page := (faultdb.NoticePage{Page: sett.Page{Size: 25}}); ; {
			notices, marks, err := m.Faults.ListNotices(m.T.Context(), project, id, page)
			if err != nil {
				m.T.Fatalf("%s: list notices of %d: %v", when, id, err)
			}
			for _, n := range notices {
				if !n.Readable || len(n.Backtrace) == 0 || n.Request.Action != want[int64(n.Key)] {
					m.T.Errorf("%s: notice %d of %d reads %q, want %q", when, n.Key, id, n.Request.Action, want[int64(n.Key)])
				}
				delete(want, int64(n.Key))
			}
			if marks.Next == "" {
				break
			}
			page.Mark = marks.Next
		}
		if _, err := m.Faults.ExplainFault(m.T.Context(), m.now, project, id, nil); err != nil {
			m.T.Errorf("%s: explain %d: %v", when, id, err)
		}
	}
	if len(want) > 0 {
		m.T.Errorf("%s: notices that no fault lists: %v", when, want)
	}
}
