package deliverydb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/searchdb"
)

// projectQuery is the query of a filter that an integration of a project has.
type projectQuery struct {
	project int64
	query   string
}

// search is the result of a query for the faults of some alerts.
type search struct {
	projectQuery
	asked map[int64]bool
	found map[int64]bool
	err   error // why the result is incomplete
}

// UnsearchedFilter is a filter whose search failed, and why; if it timed out, Err is a context.DeadlineExceeded.
type UnsearchedFilter struct {
	ProjectID int64
	Query     string
	Err       error
}

// finds reports whether the query finds a fault of the alert.
func (f *search) finds(a *alerts.Alert) bool {
	return f != nil && slices.ContainsFunc(a.AboutFaults(), func(id int64) bool { return f.found[id] })
}

// note is the note of a delivery that the query could not be searched; "" if it was.
func (f *search) note() string {
	switch {
	case f == nil || f.err == nil:
		return ""
	case errors.Is(f.err, context.DeadlineExceeded):
		return fmt.Sprintf("The search of the filter %.60q took too long, so this message was sent as if the filter matched. Simplify the filter.", f.query)
	default:
		return fmt.Sprintf("The filter %.60q could not be searched, so this message was sent as if the filter matched.", f.query)
	}
}

// Unsearched returns the filters whose search failed.
func (h *routings) Unsearched() (filters []UnsearchedFilter) {
	for _, q := range db.Sorted(h.searches, projectQuery.compare) {
		if err := h.searches[q].err; err != nil {
			filters = append(filters, UnsearchedFilter{q.project, q.query, err})
		}
	}
	return filters
}

func (q projectQuery) compare(o projectQuery) int {
	return cmp.Or(cmp.Compare(q.project, o.project), cmp.Compare(q.query, o.query))
}

// ask collects the queries that the alerts depend on. A rule asks for every query of an event before it returns.
func (h *routings) ask() {
	h.searches = map[projectQuery]*search{}
	for i := range h.Alerts {
		a := &h.Alerts[i]
		for _, integration := range h.integrations[a.ProjectID] {
			hearing := h.of(a, integration)
			hearing.Matches = func(query string) bool {
				h.askFor(projectQuery{a.ProjectID, query}, a.AboutFaults())
				return false
			}
			hearing.Route()
		}
	}
}

func (h *routings) askFor(q projectQuery, faults []int64) {
	if h.searches[q] == nil {
		h.searches[q] = &search{projectQuery: q, asked: map[int64]bool{}, found: map[int64]bool{}}
	}
	for _, id := range faults {
		h.searches[q].asked[id] = true
	}
}

// searchTime limits how long one filter, and all filters of some alerts together, may be searched: receivers wait for them.
type searchTime struct{ Each, All time.Duration }

func defaultSearchTime() searchTime { return searchTime{Each: time.Second, All: 5 * time.Second} }

// search runs the queries that the alerts depend on. Projects have equal shares of the time, and so have the filters of a project. It
// fails only if the database fails; any other error is kept with its query.
func (h *routings) search(ctx context.Context) error {
	h.ask()
	ofProjects := h.byProject()
	within, cancel := context.WithTimeout(ctx, h.S.searchTime.All)
	defer cancel()
	return inShares(within, len(ofProjects), h.S.searchTime.All, func(within context.Context, n int) error {
		queries := ofProjects[n]
		return inShares(within, len(queries), h.S.searchTime.Each, func(within context.Context, n int) error {
			return h.runSafely(ctx, within, queries[n])
		})
	})
}

// byProject returns the searches by project.
func (h *routings) byProject() (all [][]*search) {
	for _, q := range db.Sorted(h.searches, projectQuery.compare) {
		if n := len(all); n == 0 || all[n-1][0].project != q.project {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], h.searches[q])
	}
	return all
}

// inShares calls f n times, each time with a context that ends with its share of the time: the remaining time divided by the remaining
// calls, but no more than most. Unused time goes to the later calls.
func inShares(ctx context.Context, n int, most time.Duration, f func(ctx context.Context, n int) error) error {
	end, _ := ctx.Deadline()
	for i := range n {
		within, cancel := context.WithTimeout(ctx, min(most, time.Until(end)/time.Duration(n-i)))
		err := f(within, i)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// runSafely runs a query within its time. An error comes from the database or from ctx, not from the query.
func (h *routings) runSafely(ctx, within context.Context, f *search) error {
	f.err = h.run(within, f)
	if h.S.db.Gone(f.err) && within.Err() == nil {
		if err := h.S.db.Read.PingContext(ctx); err != nil {
			return err
		}
		f.err = h.run(within, f)
	}
	if f.err != nil && within.Err() != nil {
		f.err = within.Err() // not the text of the engine
	}
	return ctx.Err()
}

func (h *routings) run(ctx context.Context, f *search) error {
	query, err := sett.ParseSearch(f.query, h.Now)
	if err != nil {
		return err
	}
	asked := db.Sorted(f.asked, cmp.Compare)
	return h.S.db.Snapshot(ctx, "search faults of alerts", func(q db.Querier) error {
		filter, err := searchdb.Filter{Search: query}.Of(asked).Prepare(ctx, h.S.search, q, f.project, h.Now)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(asked, db.RowsAtOnce) {
			if err := h.findFaults(ctx, q, f, filter, some); err != nil {
				return err
			}
		}
		return nil
	})
}

// findFaults notes which of the faults a filter finds. They are sorted so that SQLite collects all of them before it returns the first:
// only until then does its driver heed the context.
func (h *routings) findFaults(ctx context.Context, q db.Querier, f *search, filter searchdb.Filter, faults []int64) error {
	var a searchdb.Assembly
	a.Add("-- deliverydb.findFaults\nSELECT f.id")
	a.FoundFaults(f.project, h.Now, filter)
	a.Among(faults)
	a.Add(" ORDER BY f.id + 0")
	rows, err := q.QueryContext(ctx, a.Statement(h.S.db), a.Args...)
	return db.ScanAll(rows, err, db.ScanID(func(id int64) { f.found[id] = true }))
}
