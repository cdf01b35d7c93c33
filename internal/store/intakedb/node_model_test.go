package intakedb_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/nodedb"
	"sett/internal/store/storetest"
)

// nodeModel is several nodes of one database that each have a clock of their own. All that it knows is how many notices were
// accepted.
type nodeModel struct {
	*desk
	c      storetest.Cluster
	rand   *rand.Rand
	nodes  []*modelNode
	stored int64
	story  []string
}

type modelNode struct {
	*store.Store
	clock time.Time
	alive bool // the session that says that it lives is
}

func (m *nodeModel) start(clock time.Time) {
	s, err := store.Open(m.T.Context(), db.Options{Database: m.c.Address})
	if err == nil {
		_, err = s.Intake.Recover(m.T.Context())
	}
	if err != nil {
		m.T.Fatal(err)
	}
	m.nodes = append(m.nodes, &modelNode{s, clock, true})
}

// crash ends a node with all that it has not counted.
func (m *nodeModel) crash(n *modelNode) {
	if err := n.Close(); err != nil && n.alive {
		m.T.Fatal(err)
	}
	for i := range m.nodes {
		if m.nodes[i] == n {
			m.nodes = append(m.nodes[:i], m.nodes[i+1:]...)
			return
		}
	}
}

func (m *nodeModel) reports(n int) (reports []*faultdb.Packed) {
	for i := range n {
		reports = append(reports, m.Report([]string{"A", "B", "C"}[i%3]))
	}
	return reports
}

// step does something to one of the nodes, and says what.
func (m *nodeModel) step() string {
	if len(m.nodes) == 0 {
		m.start(storetest.Noon)
	}
	n := m.nodes[m.rand.IntN(len(m.nodes))]
	n.clock = n.clock.Add(time.Duration(m.rand.IntN(3001)) * time.Millisecond)
	switch kind := m.rand.IntN(16); kind {
	case 0:
		if len(m.nodes) < 3 {
			m.start(storetest.Noon.Add(time.Duration(m.rand.IntN(41)-20) * time.Second))
		}
		return "start"
	case 1:
		m.crash(n)
		return "crash"
	case 2:
		n.clock = n.clock.Add(-time.Duration(1+m.rand.IntN(30)) * time.Second)
		return "clock back"
	case 3:
		cutLocks(m.T, n.Store)
		n.alive = false
		return "lock lost"
	case 4, 5:
		m.must("fold", n.Intake.Flush(m.T.Context()))
		return "fold"
	case 6:
		m.must("fold what is due", n.Intake.FlushDue(m.T.Context(), n.clock))
		return "fold due"
	case 7:
		_, err := n.Node.TakeOver(m.T.Context())
		m.must("adopt", err)
		return "adopt"
	case 8:
		return m.unanswered(n)
	case 9:
		m.must("settle", n.Intake.Settle(m.T.Context()))
		return "settle"
	case 10, 11:
		return m.merge(n)
	case 12:
		return m.split(n)
	default:
		size := []int{1, 2, 5, storetest.BusyBatch}[m.rand.IntN(4)]
		_, err := n.Intake.RecordNotices(m.T.Context(), n.clock, accounts.Limits{}, intakedb.Intake{Reports: m.reports(size)})
		m.must("record", err)
		m.stored += int64(size)
		return "record"
	}
}

// unanswered records a batch whose commit the node does not learn of.
func (m *nodeModel) unanswered(n *modelNode) string {
	m.must("take number", n.Node.Take(m.T.Context()))
	n.Intake.Recording().Lock()
	defer n.Intake.Recording().Unlock()
	n.Rollups.Settled()
	if _, err := n.Intake.MakeSure(m.T.Context()); err != nil {
		m.must("make sure", err)
	}
	var b *intakedb.Batch
	lost := m.rand.IntN(2) == 0
	err := n.Intake.InOwnTx(m.T.Context(), "record", func(tx intakedb.Tx) error {
		b = intakedb.NewBatch(n.Store.Intake.Own(), tx, n.clock, accounts.Limits{}, intakedb.Intake{Reports: m.reports(storetest.BusyBatch)})
		if err := b.Record(m.T.Context()); err != nil || !lost {
			return err
		}
		return intakedb.ErrUndecided
	})
	if errors.Is(err, nodedb.ErrFenced) {
		return "fenced"
	}
	if n.Intake.SetInDoubt(b); err == nil {
		m.stored += storetest.BusyBatch
	} else if !lost {
		m.must("record", err)
	}
	return "unanswered"
}

// merge merges two faults, if there are two.
func (m *nodeModel) merge(n *modelNode) string {
	alone := m.ids(`SELECT id FROM faults ORDER BY id`)
	if len(alone) < 2 {
		return "nothing to merge"
	}
	m.rand.Shuffle(len(alone), func(i, j int) { alone[i], alone[j] = alone[j], alone[i] })
	into := triage.FaultMerge{IntoID: sett.Some(alone[1])}
	m.must("merge", n.Faults.MergeFault(m.T.Context(), storetest.Noon, m.UserID, m.ProjectID, alone[0], into))
	return "merge"
}

// split splits a fault that was merged, if there is one.
func (m *nodeModel) split(n *modelNode) string {
	merged := m.ids(`SELECT id FROM merged_faults ORDER BY id`)
	if len(merged) == 0 {
		return "nothing to split"
	}
	part := merged[m.rand.IntN(len(merged))]
	m.must("split", n.Faults.SplitFault(m.T.Context(), storetest.Noon, m.UserID, m.ProjectID, part))
	return "split"
}

func (m *nodeModel) ids(query string) (ids []int64) {
	rows, err := m.Read.QueryContext(m.T.Context(), query)
	m.must("read ids", db.ScanAll(rows, err, db.ScanID(func(id int64) { ids = append(ids, id) })))
	return ids
}

func (m *nodeModel) must(what string, err error) {
	if err != nil {
		m.T.Fatalf("%s after %v: %v", what, m.story, err)
	}
}

// cutLocks ends the session that says that the node lives, if it has one, and returns once the server has let its locks go.
func cutLocks(t testing.TB, s *store.Store) {
	num, _ := s.Node.Current()
	_, err := s.Read.ExecContext(t.Context(), `SELECT pg_terminate_backend(l.pid, 60000) FROM pg_locks l
		WHERE l.locktype = 'advisory' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND l.classid::bigint = $1 AND l.objid::bigint = $2 AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.number = $2 AND n.process <> $3)`,
		int64(db.LockClass), num, s.Process)
	if err != nil {
		t.Fatal(err)
	}
}

// finish crashes every node, and has a new one count what they left.
func (m *nodeModel) finish() {
	for len(m.nodes) > 0 {
		cutLocks(m.T, m.nodes[0].Store)
		m.nodes[0].alive = false
		m.crash(m.nodes[0])
	}
	m.start(storetest.Noon)
	for left := int64(2); left > 1; {
		if _, err := m.nodes[0].Node.TakeOver(m.T.Context()); err != nil {
			m.T.Fatal(err)
		}
		left = m.Numbers(`SELECT count(*) FROM nodes`, 1)[0]
	}
}

// wrongParts counts the fingerprints that count other notices than they list, beside the faults that they are merged into.
const wrongParts = `SELECT (SELECT count(*) FROM merged_faults m
    WHERE m.notices_count <> (SELECT count(*) FROM fault_notices n WHERE n.fault_id = m.id)) + (SELECT count(*) FROM fault_counts c
    WHERE c.notices_count <> (SELECT count(*) FROM fault_notices n
        WHERE n.fault_id = c.fault_id OR n.fault_id IN (SELECT m.id FROM merged_faults m WHERE m.into_id = c.fault_id)))`

// Whatever nodes, their clocks and users who merge faults do, each notice that was accepted is counted once, where it is listed.
func TestEachNoticeOfRandomNodesIsCountedOnce(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, storetest.OpenTest(t, db.Options{Database: c.Address}))
	for seed := range uint64(8) {
		d.Run(`TRUNCATE notices, attachments, bundles, bundle_facets, fault_notices, fault_users, fault_buckets, project_buckets, named_buckets, ledger, digests, nodes`)
		d.Run(`UPDATE fault_counts SET notices_count = 0`)
		d.Run(`UPDATE merged_faults SET notices_count = 0`)
		m := &nodeModel{desk: d, c: c, rand: rand.New(rand.NewPCG(seed, 1))}
		m.start(storetest.Noon)
		m.start(storetest.Noon.Add(5 * time.Second))
		for range 20 {
			m.story = append(m.story, m.step())
		}
		m.finish()
		m.WantCounts(fmt.Sprint("after ", m.story), storetest.All(m.stored))
		if n := m.Numbers(`SELECT count(*) FROM fault_notices`, 1)[0]; n != m.stored {
			t.Errorf("%d of %d notices are listed after %v", n, m.stored, m.story)
		}
		if n := m.Numbers(wrongParts, 1)[0]; n != 0 {
			t.Errorf("%d faults count other notices than they list after %v", n, m.story)
		}
		m.crash(m.nodes[0])
	}
}
