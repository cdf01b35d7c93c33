package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/fault"
)

// projectQuery is the query of a filter of a project's integration.
type projectQuery struct {
	project int64
	query   string
}

// search is which faults of some alerts a query finds.
type search struct {
	projectQuery
	asked map[int64]bool
	found map[int64]bool
	err   error // why not all is known
}

// UnsearchedFilter is a filter that could not be searched, and why; it ran out of time when that is a
// context.DeadlineExceeded.
type UnsearchedFilter struct {
	ProjectID int64
	Query     string
	Err       error
}

// finds reports whether the query finds any fault of the alert.
func (f *search) finds(a *sett.Alert) bool {
	return f != nil && slices.ContainsFunc(a.AboutFaults(), func(id int64) bool { return f.found[id] })
}

// note says that the query was not searched; "" where it was.
func (f *search) note() string {
	switch {
	case f == nil || f.err == nil:
		return ""
	case errors.Is(f.err, context.DeadlineExceeded):
		return fmt.Sprintf("The search of the filter %.60q took too long, so this is told as if it matched. Make it simpler.", f.query)
	default:
		return fmt.Sprintf("The filter %.60q could not be searched, so this is told as if it matched.", f.query)
	}
}

// Unsearched returns the filters that could not be searched.
func (h *hearings) Unsearched() (filters []UnsearchedFilter) {
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

// ask notes which queries the alerts depend on. A rule asks for every query of an event before it gives up.
func (h *hearings) ask() {
	h.searches = map[projectQuery]*search{}
	for i := range h.Alerts {
		a := &h.Alerts[i]
		for _, integration := range h.integrations[a.ProjectID] {
			hearing := h.of(a, integration)
			hearing.Matches = func(query string) bool {
				h.askFor(projectQuery{a.ProjectID, query}, a.AboutFaults())
				return false
			}
			hearing.Hear()
		}
	}
}

func (h *hearings) askFor(q projectQuery, faults []int64) {
	if h.searches[q] == nil {
		h.searches[q] = &search{projectQuery: q, asked: map[int64]bool{}, found: map[int64]bool{}}
	}
	for _, id := range faults {
		h.searches[q].asked[id] = true
	}
}

// searchTime is how long filters may be searched, one and all of some alerts together: those that are told wait for it.
type searchTime struct{ Each, All time.Duration }

func defaultSearchTime() searchTime { return searchTime{Each: time.Second, All: 5 * time.Second} }

// search runs the queries that the alerts depend on. Projects have equal shares of the time, and so have the filters of
// one. It fails only when the database does; what else goes wrong is kept with the query.
func (h *hearings) search(ctx context.Context) error {
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

// byProject returns the searches of each project.
func (h *hearings) byProject() (all [][]*search) {
	for _, q := range db.Sorted(h.searches, projectQuery.compare) {
		if n := len(all); n == 0 || all[n-1][0].project != q.project {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], h.searches[q])
	}
	return all
}

// inShares calls f for each of n with a context that ends with its share of the time: as much as is left for each of those
// that are left, but no more than most. What one does not need the others have.
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

// runSafely runs a query within its time. The error is of the database, or of ctx, and no query's fault.
func (h *hearings) runSafely(ctx, within context.Context, f *search) error {
	f.err = h.run(within, f)
	if h.S.db.Gone(f.err) && within.Err() == nil {
		if err := h.S.db.Read.PingContext(ctx); err != nil {
			return err
		}
		f.err = h.run(within, f)
	}
	if f.err != nil && within.Err() != nil {
		f.err = within.Err() // in the words of neither engine
	}
	return ctx.Err()
}

func (h *hearings) run(ctx context.Context, f *search) error {
	query, err := sett.ParseSearch(f.query, h.Now)
	if err != nil {
		return err
	}
	filter, err := fault.FaultFilter{Search: query}.Dated(ctx, h.S.fault, h.S.db.Read, f.project, h.Now)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(db.Sorted(f.asked, cmp.Compare), db.RowsAtOnce) {
		if err := h.findFaults(ctx, f, filter, some); err != nil {
			return err
		}
	}
	return nil
}

// findFaults notes which of some faults a filter means. They are sorted so that SQLite has them all before it returns one:
// its driver heeds the context until then.
func (h *hearings) findFaults(ctx context.Context, f *search, filter fault.FaultFilter, faults []int64) error {
	var a fault.Assembly
	a.Add("-- store.findFaults\nSELECT f.id")
	a.FoundFaults(f.project, h.Now, filter)
	values := make([]any, len(faults))
	for i, id := range faults {
		values[i] = id
	}
	a.Add(" AND f.id IN ("+strings.Repeat("?,", len(values)-1)+"?) ORDER BY f.id + 0", values...)
	rows, err := h.S.db.Read.QueryContext(ctx, a.Statement(h.S.db), a.Args...)
	return db.ScanAll(rows, err, db.ScanID(func(id int64) { f.found[id] = true }))
}
