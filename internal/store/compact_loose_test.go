package store_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/event/column"
	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// A search of events that are in no block yet opens the bundles that may have what it asks for, in its range, until it runs out of time.
func TestLooseEventsAreSearchedByTheirFilters(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const bundles = 70
		hour := func(n int) time.Time { return storetest.Noon.Add(time.Duration(n) * time.Hour) }
		for n := range bundles {
			var reports []*faults.Report
			for i := range 2 {
				p := d.Report("E", func(r *faults.Report) {
					r.Facets = payload.WithMarks(fmt.Sprintf("\ncontext.order=%d-%d\n", n, i), nil)
				})
				reports = append(reports, p.Report)
			}
			d.Record(hour(n), accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
		}
		find := func(text string, search block.Search) (count int64, found block.Found) {
			t.Helper()
			parsed, problem := query.Parse(text, storetest.Noon)
			if problem != "" {
				t.Fatal(problem)
			}
			search.Terms = column.Terms(parsed)
			err := s.Snapshot(t.Context(), "search", func(q db.Querier) (err error) {
				found, err = s.Blocks.Find(t.Context(), q, d.ProjectID, search)
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for _, n := range found.Counts {
				count += n
			}
			return count, found
		}
		late := time.Now().Add(-time.Second)
		count, found := find("context.order:*", block.Search{Until: late})
		if newest := bundles - 32; count != 64 || !sett.NoticeID(found.Since).Time().Truncate(time.Hour).Equal(hour(newest-1)) {
			t.Errorf("without time, %d events are found, all since %s; want 64, of 32 bundles", count, sett.NoticeID(found.Since).Time())
		}
		// What cannot be read shows what is read.
		d.Run(`UPDATE bundle_facets SET facets = substr(facets, 1, 3) WHERE bundle_id NOT IN (SELECT min(bundle_id) FROM bundle_facets)`)
		if count, found := find("context.order:0-1", block.Search{Until: late}); count != 1 || found.Unread != 0 || found.Since != 0 {
			t.Errorf("a rare value: %d events, %d bundles unread, all since %d", count, found.Unread, found.Since)
		}
		first := []block.Span{{From: 0, To: faultdb.NoticeIDAt(hour(1))}}
		if count, found := find("context.order:*", block.Search{Until: time.Now().Add(time.Hour), Within: first}); count != 2 || found.Unread != 0 {
			t.Errorf("in the first hour: %d events, %d bundles unread", count, found.Unread)
		}
		// Without filters, as an earlier version stored them, all bundles are read.
		d.Run(`DELETE FROM bundle_filters`)
		if count, found := find("context.order:0-1", block.Search{Until: time.Now().Add(time.Hour)}); count != 1 || found.Unread != bundles-1 {
			t.Errorf("without filters: %d events, %d bundles unread", count, found.Unread)
		}
	})
}

// The filter of a bundle forgets the values of a deleted event, which is erased with all that is stored of it.
func TestFiltersForgetDeletedEvents(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var reports []*faults.Report
		for i := range 2 {
			reports = append(reports, d.Report("E", func(r *faults.Report) { r.Facets = payload.WithMarks(fmt.Sprintf("\ncontext.order=%d\n", i), nil) }).Report)
		}
		d.Record(storetest.Noon, accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
		first := d.Numbers(`SELECT min(id) FROM notices`, 1)[0]
		if err := d.InWhole(t.Context(), "delete a notice", func(tx *store.Tx) error { return tx.DeleteNotice(t.Context(), first) }); err != nil {
			t.Fatal(err)
		}
		var body []byte
		if err := s.Read.QueryRowContext(t.Context(), `SELECT body FROM bundle_filters`).Scan(&body); err != nil {
			t.Fatal(err)
		}
		filter, err := column.OpenFilter(body)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]column.Answer{"context.order:0": column.None, "context.order:1": column.Some} {
			parsed, _ := query.Parse(text, storetest.Noon)
			if got := column.Terms(parsed)[0].Ask(filter); got != want {
				t.Errorf("%s: %d, want %d", text, got, want)
			}
		}
	})
}
