package store_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/event/column"
	"sett/internal/event/query"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// A search that runs out of time says from when on it has searched all, and one that may skip what is damaged says how much that was.
func TestSearchesReturnWhatTheyCouldRead(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		s.Blocks.Sizes = block.Sizes{Most: 20, Least: 20}
		search, problem := query.Parse("context.order:1*", storetest.Noon)
		if problem != "" {
			t.Fatal(problem)
		}
		n := 0
		record := func(now time.Time) {
			var reports []*faults.Report
			for range 20 {
				n++
				p := d.Report("E", func(r *faults.Report) { r.Facets = fmt.Sprintf("\ncontext.order=1-%d\n", n) })
				reports = append(reports, p.Report)
			}
			d.Record(now, accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
		}
		now := storetest.Noon
		for range 3 {
			now = now.Add(time.Hour)
			record(now)
		}
		if err := s.Intake.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Compact(t.Context(), purgeAt(now)); err != nil || done.Blocks != 3 {
			t.Fatalf("%+v, %v", done, err)
		}
		now = now.Add(time.Hour)
		record(now)
		find := func(until time.Time) (found block.Found, count int64, err error) {
			err = s.Snapshot(t.Context(), "search", func(q db.Querier) (err error) {
				found, err = s.Blocks.Find(t.Context(), q, d.ProjectID, block.Search{Terms: column.Terms(search), Until: until, Keep: 1}) // it opens the blocks each time
				return err
			})
			for _, n := range found.Counts {
				count += n
			}
			return found, count, err
		}
		blocks := d.Numbers(`SELECT min(id), max(id), max(last_id) FROM blocks`, 3)
		if found, count, err := find(time.Now().Add(-time.Second)); err != nil || count != 20 || found.Since != blocks[2]+1 || found.Unread != 0 {
			t.Errorf("a search without time finds %d, all since %d, %d unread, %v; want 20 and %d", count, found.Since, found.Unread, err, blocks[2]+1)
		}
		if found, count, err := find(time.Now().Add(time.Hour)); err != nil || count != 80 || found.Since != 0 || found.Unread != 0 {
			t.Errorf("a search with time finds %d, all since %d, %d unread, %v; want 80", count, found.Since, found.Unread, err)
		}
		for i, damage := range []string{
			`UPDATE block_parts SET body = substr(body, 1, length(body) - 9) WHERE block_id = %d`,
			`UPDATE block_filters SET body = substr(body, 1, 3) WHERE block_id = %d`,
		} {
			d.Run(fmt.Sprintf(damage, blocks[i]))
			if found, count, err := find(time.Now().Add(time.Hour)); err != nil || count != int64(60-20*i) || found.Since != 0 || found.Unread != 1+i {
				t.Errorf("with %d damaged blocks, a search finds %d, all since %d, %d unread, %v", 1+i, count, found.Since, found.Unread, err)
			}
			if _, _, err := find(time.Time{}); err == nil {
				t.Errorf("with %d damaged blocks, a search of everything succeeds", 1+i)
			}
		}
		d.Run(`UPDATE bundle_facets SET facets = substr(facets, 1, 3)`)
		if found, count, err := find(time.Now().Add(time.Hour)); err != nil || count != 20 || found.Unread < 3 {
			t.Errorf("with damaged bundles too, a search finds %d, %d unread, %v", count, found.Unread, err)
		}
	})
}
