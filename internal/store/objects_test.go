package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// remoteModel is a compactModel whose blocks move to object storage and back.
type remoteModel struct {
	*compactModel
	objects *storetest.Objects
}

// Whatever happens to notices while their blocks move to object storage, which fails at times, and back – they are deleted, purged, merged,
// rewritten, and the process dies between any two transactions –, each that is left is found, read whole and stored once. In the end, object
// storage has the objects of blocks and no others.
func TestRemoteNoticesAreTheSame(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		seed := rand.Uint64()
		m := &remoteModel{objects: storetest.NewObjects(), compactModel: &compactModel{
			desk: d, r: rand.New(rand.NewPCG(seed, 0)), now: storetest.Noon, kept: map[int64]keptNotice{}, into: map[int64]int64{},
		}}
		m.projects = []int64{d.ProjectID, d.Project("Other").ID}
		s.Blocks.Objects = m.objects
		steps := []func(){m.record, m.record, m.record, m.compact, m.compact, m.move, m.move, m.move, m.home, m.sweep, m.age, m.delete, m.merge, m.split, m.purge, m.rewrite}
		remote := int64(0)
		for step := range 80 {
			steps[m.r.IntN(len(steps))]()
			remote += m.Numbers(`SELECT count(*) FROM blocks WHERE remote`, 1)[0]
			if step%5 == 4 {
				m.check(fmt.Sprintf("seed %d, step %d", seed, step))
			}
			if t.Failed() {
				return
			}
		}
		if remote == 0 {
			t.Errorf("seed %d: no block was ever in object storage", seed)
		}
		m.now = m.now.Add(2 * time.Hour)
		m.sweep()
		m.checkObjects(fmt.Sprintf("seed %d", seed))
	})
}

// failing runs work that dies after some transactions, or meets failures of object storage.
func (m *remoteModel) failing(work func(o store.Purge) (int64, error)) {
	o, pieces := purgeAt(m.now), m.r.IntN(12)
	o.Rest = func(context.Context, time.Duration) error {
		if pieces--; pieces == 0 {
			return errCut
		}
		return nil
	}
	m.objects.Set(false, []float64{0, 0, 0.2}[m.r.IntN(3)])
	_, _ = work(o)
	m.objects.Set(false, 0)
	if !m.SQLite() {
		m.Run(`DELETE FROM leases`)
	}
}

func (m *remoteModel) move() {
	m.failing(func(o store.Purge) (int64, error) { return m.MoveBlocks(m.T.Context(), o) })
}

func (m *remoteModel) home() {
	m.failing(func(o store.Purge) (int64, error) { return m.BringHome(m.T.Context(), o, false) })
}

// sweep deletes all objects that are due, however often that fails.
func (m *remoteModel) sweep() {
	m.failing(func(o store.Purge) (int64, error) { return m.DeleteObjects(m.T.Context(), o) })
	for range 3 {
		m.now = m.now.Add(time.Hour)
		if _, err := m.DeleteObjects(m.T.Context(), purgeAt(m.now)); err != nil {
			m.T.Fatal(err)
		}
	}
}

// checkObjects wants object storage to have the objects of all blocks, and no others.
func (m *remoteModel) checkObjects(when string) {
	m.T.Helper()
	keys := m.objects.Keys()
	rows, err := m.Read.QueryContext(m.T.Context(), `SELECT object FROM block_objects`)
	if err != nil {
		m.T.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			m.T.Fatal(err)
		}
		if keys[key] == nil {
			m.T.Errorf("%s: there is no object %s", when, key)
		}
		delete(keys, key)
	}
	for key := range keys {
		m.T.Errorf("%s: object %s belongs to no block", when, key)
	}
	if n := m.Numbers(`SELECT count(*) FROM dead_objects`, 1)[0]; n != 0 {
		m.T.Errorf("%s: %d objects are to be deleted", when, n)
	}
	if n := m.Numbers(`SELECT (SELECT count(*) FROM block_payloads p JOIN blocks b ON b.id = p.block_id WHERE b.remote) + (SELECT count(*) FROM block_parts p JOIN blocks b ON b.id = p.block_id WHERE b.remote)`, 1)[0]; n != 0 {
		m.T.Errorf("%s: %d rows of blocks are in object storage and in the database", when, n)
	}
}

// remoteDesk returns a desk with 40 notices in two blocks in object storage.
func remoteDesk(t *testing.T, s *store.Store) (*desk, *storetest.Objects) {
	t.Helper()
	d, objects := newDesk(t, s), storetest.NewObjects()
	s.Blocks.Objects = objects
	for i := range 2 {
		var reports []*faults.Report
		for n := range 20 {
			reports = append(reports, d.Report("E", func(r *faults.Report) {
				r.User = fmt.Sprintf("u%d@example.test", n)
				r.Facets = fmt.Sprintf("\ncontext.order=1-%d-%d\ncontext.user_email=u%d@example.test\n", i, n, n)
			}).Report)
		}
		d.Record(storetest.Noon.Add(time.Duration(i)*time.Hour), accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
	}
	if n := d.Compact(storetest.Noon, block.Sizes{Most: 20, Least: 20}); n != 2 {
		t.Fatalf("%d blocks", n)
	}
	if n, err := s.MoveBlocks(t.Context(), purgeAt(storetest.Noon)); n != 2 || err != nil {
		t.Fatalf("%d blocks were moved, %v", n, err)
	}
	return d, objects
}

// While object storage is away, what needs it says so, and what does not goes on: intake, deletions, retention, the list of errors.
func TestObjectStorageIsAway(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, objects := remoteDesk(t, s)
		objects.Set(true, 0)
		id := d.FaultsOf(d.ProjectID)[0]
		if _, _, err := s.Faults.ListNotices(t.Context(), d.ProjectID, id, faultdb.NoticePage{Page: sett.Page{Size: 25}}); sett.CodeOf(err) != sett.Unavailable {
			t.Errorf("notices are listed: %v", err)
		}
		search, _ := query.Parse("context.order:1-*", storetest.Noon)
		list := func() searchdb.Found {
			found, err := s.Search.SearchFaults(t.Context(), storetest.Noon, d.ProjectID, searchdb.Filter{Search: search}, searchdb.Page{Page: sett.Page{Size: 25}})
			if err != nil {
				t.Error(err)
			}
			return found
		}
		if found := list(); found.Away != 2 || found.Unread != 0 || len(found.Faults) != 0 {
			t.Errorf("a search without object storage finds %+v", found)
		}
		d.Record(storetest.Noon.Add(3*time.Hour), accounts.Limits{}, d.Report("E"))
		if err := s.Intake.Settle(t.Context()); err != nil {
			t.Error(err)
		}
		notice := d.Numbers(`SELECT min(id) FROM notices`, 1)[0]
		if err := s.InWhole(t.Context(), "delete a notice", func(t *store.Tx) error { return t.DeleteNotice(d.T.Context(), notice) }); err != nil {
			t.Errorf("a notice cannot be deleted: %v", err)
		}
		if _, err := s.RewriteBlocks(t.Context(), purgeAt(storetest.Noon)); err == nil {
			t.Error("a block was rewritten that cannot be read")
		}
		objects.Set(false, 0)
		if found := list(); found.Away != 0 || len(found.Faults) != 1 || *found.Faults[0].InRange != 39 {
			t.Errorf("later, it finds %+v", found)
		}
		objects.Set(true, 0)
		d.keeps(d.ProjectID, 1)
		d.purged(storetest.Noon.Add(50 * 24 * time.Hour))
		if got := d.Numbers(`SELECT (SELECT count(*) FROM blocks), (SELECT count(*) FROM notices), (SELECT count(*) FROM fault_users), (SELECT count(*) FROM dead_objects)`, 4); !slices.Equal(got, []int64{0, 0, 1, 2}) { // the user of the notice that was deleted by itself stays
			t.Errorf("retention left %v: blocks, notices, users, objects to delete", got)
		}
	})
}

// An erasure is finished when the objects are deleted that contained the user.
func TestErasureReachesObjects(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, objects := remoteDesk(t, s)
		e, err := s.CreateErasure(t.Context(), storetest.Noon.Add(2*time.Hour), d.UserID, d.ProjectID, scrub.ErasureChange{User: sett.Some("u7@example.test")})
		if err != nil {
			t.Fatal(err)
		}
		at := purgeAt(storetest.Noon.Add(3 * time.Hour))
		finished := func() bool {
			e, err := s.ErasureByID(t.Context(), d.ProjectID, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			return !e.FinishedAt.IsZero()
		}
		objects.Set(true, 0)
		if err := s.SweepErasures(t.Context(), at); err == nil || finished() {
			t.Errorf("it ends although blocks cannot be searched: %v", err)
		}
		objects.Set(false, 0)
		cut := at
		cut.Rest = func(context.Context, time.Duration) error {
			if n := d.Numbers(`SELECT count(*) FROM blocks WHERE rewrites`, 1)[0]; n == 2 {
				objects.Set(true, 0) // before they are rewritten
			}
			return nil
		}
		if err := s.SweepErasures(t.Context(), cut); err == nil || finished() {
			t.Errorf("it ends although objects contain the user: %v", err)
		}
		objects.Set(false, 0)
		if err := s.SweepErasures(t.Context(), at); err != nil || !finished() {
			t.Errorf("it does not end: %v", err)
		}
		if n := d.Numbers(`SELECT count(*) FROM notices`, 1)[0]; n != 38 {
			t.Errorf("%d notices are left, want 38", n)
		}
		for key := range objects.Keys() {
			t.Errorf("object %s is left", key)
		}
	})
}

// An upload that was read before its block changed must not take its place, and a key that counts as abandoned is not used.
func TestLateUploads(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, objects := remoteDesk(t, s)
		if _, err := s.BringHome(t.Context(), purgeAt(storetest.Noon), false); err != nil {
			t.Fatal(err)
		}
		c := s.Blocks.Compactor()
		id := d.Numbers(`SELECT min(id) FROM blocks`, 1)[0]
		out, err := c.Outgoing(t.Context(), id, storetest.Noon)
		if err != nil || out == nil {
			t.Fatalf("%v, %v", out, err)
		}
		moved := func(o *block.Outgoing) (moved bool) {
			err := s.DB.InTx(t.Context(), "move", func(t *db.Tx) (err error) { moved, err = s.Blocks.In(t).Moved(d.T.Context(), o); return err })
			if err != nil {
				t.Fatal(err)
			}
			return moved
		}
		last := d.Numbers(`SELECT max(id) FROM notices WHERE id <= (SELECT min(last_id) FROM blocks)`, 1)[0]
		if err := s.InWhole(t.Context(), "delete a notice", func(t *store.Tx) error { return t.DeleteNotice(d.T.Context(), last) }); err != nil {
			t.Fatal(err)
		}
		if moved(out) {
			t.Error("a block was moved that has a deleted notice")
		}
		if _, err := s.RewriteBlocks(t.Context(), purgeAt(storetest.Noon)); err != nil {
			t.Fatal(err)
		}
		if moved(out) {
			t.Error("a block was moved that was rewritten")
		}
		late, err := c.Outgoing(t.Context(), id, storetest.Noon)
		if err != nil || late == nil {
			t.Fatalf("%v, %v", late, err)
		}
		if _, err := s.DeleteObjects(t.Context(), purgeAt(storetest.Noon.Add(2*time.Hour))); err != nil {
			t.Fatal(err)
		}
		if moved(late) {
			t.Error("a block was moved to an object that counted as abandoned")
		}
		if n := len(objects.Keys()); n != 0 {
			t.Errorf("%d objects are left", n)
		}
	})
}

// What an object contains can be read without the database.
func TestObjectDescribesItself(t *testing.T) {
	t.Parallel()
	_, objects := remoteDesk(t, storetest.OpenSQLite(t))
	for key, body := range objects.Keys() {
		if !bytes.Contains(body, []byte{0x28, 0xb5, 0x2f, 0xfd}) || len(body) < 16 {
			t.Errorf("object %s has no compressed piece", key)
		}
		if err := block.CheckObject(body); err != nil {
			t.Errorf("object %s: %v", key, err)
		}
		body[len(body)/2]++
		if err := block.CheckObject(body); err == nil {
			t.Errorf("object %s was changed, and that was not seen", key)
		}
		if err := block.CheckObject(body[:len(body)-1]); err == nil || errors.Is(err, errCut) {
			t.Errorf("object %s was cut, and that was not seen", key)
		}
	}
}
