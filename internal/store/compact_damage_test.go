package store_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/storetest"
)

// Damaged notices of one project do not stop what is done with all others: compaction, erasures, and what removes deleted ones from blocks.
func TestDamageStopsNothingElse(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		of := func(project int64) func(*faults.Report) {
			return func(r *faults.Report) { from(ines)(r); r.ProjectID = project }
		}
		record := func() {
			for range 4 {
				d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", of(d.ProjectID)), d.Report("B", of(other)))
			}
			if err := s.Intake.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		count := func(what, query string, want int64) {
			t.Helper()
			if n := d.Numbers(query, 1)[0]; n != want {
				t.Errorf("%s: %d, want %d", what, n, want)
			}
		}
		s.Blocks.Sizes = block.Sizes{Most: 4, Least: 1}
		record()
		d.Run(`UPDATE bundle_facets SET members = $2 WHERE bundle_id = (SELECT min(bundle_id) FROM bundle_facets WHERE project_id = $1)`, d.ProjectID, []byte{0x80})
		if done, err := s.Compact(t.Context(), purgeAt(storetest.Noon.Add(48*time.Hour))); err != nil || done.Blocks != 2 {
			t.Errorf("%+v, %v", done, err)
		}
		count("bundles that are left", `SELECT count(*) FROM bundle_facets`, 1)
		d.Run(`UPDATE blocks SET notices = $2 WHERE project_id = $1`, d.ProjectID, []byte{1, 2, 3})
		d.Run(`UPDATE bundle_facets SET members = $1`, []byte{})

		var made []scrub.Erasure
		for _, project := range []int64{d.ProjectID, other} {
			e, err := d.CreateErasure(t.Context(), storetest.Noon, d.UserID, project, scrub.ErasureChange{User: sett.Some(ines)})
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, e)
		}
		for range 2 {
			if err := d.SweepErasures(t.Context(), purgeAt(storetest.Noon.Add(time.Hour))); err == nil {
				t.Error("nothing says that an erasure could not read everything")
			}
		}
		if damaged := d.erasure(made[0]); damaged.State() == scrub.ErasureFinished {
			t.Errorf("an erasure is finished that could not read a block: %+v", damaged)
		}
		if whole := d.erasure(made[1]); whole.State() != scrub.ErasureFinished || whole.Notices != 4 {
			t.Errorf("the erasure in the other project: %+v", whole)
		}

		record()
		if done, err := s.Compact(t.Context(), purgeAt(storetest.Noon.Add(48*time.Hour))); err != nil || done.Blocks == 0 {
			t.Fatalf("%+v, %v", done, err)
		}
		d.Run(`UPDATE blocks SET gone = $2, rewrites = true WHERE project_id = $1`, other, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		d.Run(`UPDATE blocks SET rewrites = true WHERE project_id = $1`, d.ProjectID)
		n, err := s.RewriteBlocks(t.Context(), purgeAt(storetest.Noon.Add(time.Hour)))
		if err == nil || n < 1 {
			t.Errorf("%d blocks are rewritten, %v", n, err)
		}
		count("blocks of the other project with deleted notices", fmt.Sprintf(`SELECT count(*) FROM blocks WHERE rewrites AND project_id = %d`, other), 0)
	})
}
