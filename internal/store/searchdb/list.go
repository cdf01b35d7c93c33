package searchdb

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Order is the sort order of a list of faults, always descending.
type Order string

// The orders of the contract. Ties are sorted by id.
const (
	ByCreation Order = ""         // by time of creation
	Recent     Order = "recent"   // by time of the last notice
	Frequent   Order = "frequent" // by number of notices
)

// Page selects a page of a list of faults.
type Page struct {
	Order Order
	sett.Page
	Counted bool // with the number of all matches; see SearchFaults
}

// faultMark is the end of a page of faults. New notices move faults to the front of a list by recency or frequency, and new faults come
// before all others. So that the pages before and after it show each fault once, they show the list as it was at asOf, when the first
// page was read.
type faultMark struct {
	order Order
	asOf  int64 // the time of the project's newest notice, in µs; by creation, the id of the newest fault of all projects
	value int64 // the sort value of the last fault of the page
	id    int64 // of that fault
}

func (m faultMark) String() string {
	return string(m.order) + "." + db.FormatMark(m.asOf, m.value, m.id)
}

// parseFaultMark parses a cursor of a list in the given order; "" is the zero mark.
func parseFaultMark(text string, order Order) (faultMark, error) {
	m := faultMark{order: order}
	if text == "" {
		return m, nil
	}
	named, numbers, _ := strings.Cut(text, ".")
	if named != string(order) {
		return m, db.ErrNoMark()
	}
	return m, db.ParseMark(numbers, &m.asOf, &m.value, &m.id)
}

// ListFaults returns a page of the faults that the filter matches, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListFaults(ctx context.Context, now time.Time, projectID int64, f Filter, p Page) (faults []faults.Fault, marks sett.Marks, err error) {
	found, err := s.listFaults(ctx, now, projectID, f, p)
	return found.Faults, found.Marks, err
}

// Found is a page of a list of faults.
type Found struct {
	Faults []faults.Fault
	At     []string // the mark behind each of them
	sett.Marks
	Total int64 // faults that match, at most one more than MostCountedFaults; 0 if the page does not ask for it

	// If the search ran out of time, it has searched all notices since then, but not all older ones.
	Since time.Time
	// Unread is how many stored pieces of notices were damaged, and are not searched; Away is how many are in object storage, which does not respond.
	Unread, Away int
}

// SearchFaults does what ListFaults does, and counts the matches. It looks for notices for SearchTime at most, and then returns what it
// has found.
func (s *Store) SearchFaults(ctx context.Context, now time.Time, projectID int64, f Filter, p Page) (page Found, err error) {
	f.until = time.Now().Add(s.SearchTime)
	return s.listFaults(ctx, now, projectID, f, p)
}

func (s *Store) listFaults(ctx context.Context, now time.Time, projectID int64, f Filter, p Page) (found Found, err error) {
	return s.listOf(ctx, now, []int64{projectID}, f, p)
}

// ListFaultsOf does what ListFaults does, for some projects.
func (s *Store) ListFaultsOf(ctx context.Context, now time.Time, projects []int64, f Filter, p Page) ([]faults.Fault, sett.Marks, error) {
	found, err := s.listOf(ctx, now, projects, f, p)
	return found.Faults, found.Marks, err
}

func (s *Store) listOf(ctx context.Context, now time.Time, projects []int64, f Filter, p Page) (found Found, err error) {
	err = s.db.Snapshot(ctx, "list faults", func(q db.Querier) error {
		found, _, err = listReader{s, q, now, f, nil}.page(ctx, projects, p)
		return err
	})
	return found, err
}

// faultList is a request for a page of a list.
type faultList struct {
	ProjectID int64
	Now       time.Time
	Filter    Filter
	Page      Page
	at        faultMark
}

// listedFault is a fault with the sort value of its list.
type listedFault struct {
	faults.Fault
	value int64
}

// faultPage returns the rows of a page. After a cursor, it combines the faults that kept their position with those that have moved since.
func (s *Store) faultPage(ctx context.Context, q db.Querier, l faultList) ([]listedFault, error) {
	found, err := s.listedFaults(ctx, q, l.Steady())
	if err != nil || l.Page.Mark == "" || l.Page.Order == ByCreation {
		return found, err
	}
	moved, err := s.listedFaults(ctx, q, l.moved())
	_, most := l.Page.Rows()
	return joined(found, moved, l.Page.Back, most), err
}

func (s *Store) listedFaults(ctx context.Context, q db.Querier, a *Assembly) (found []listedFault, err error) {
	var l listedFault
	var inRange *int64
	scan := faultdb.Scanner(&inRange, &l.value)
	rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) (err error) {
		l.Fault, err = scan(rows)
		l.InRange = inRange
		found = append(found, l)
		return err
	})
	return found, err
}

// Steady is the statement that reads the list as it is now; after a cursor, without the faults that have moved or are new. SQLite joins
// in the order of the text, so that the first table's index determines the order.
func (l faultList) Steady() *Assembly {
	var a Assembly
	switch l.Page.Order {
	case Recent:
		l.columns(&a, "c.last_notice_at")
		l.from(&a)
		l.rows(&a, "c.last_notice_at", "c.fault_id", l.unmoved)
	case Frequent:
		l.columns(&a, "c.notices_count")
		l.from(&a)
		l.rows(&a, "c.notices_count", "c.fault_id", l.unmoved)
	default:
		l.columns(&a, "f.created_at")
		a.Add(" FROM faults f CROSS JOIN fault_counts c")
		l.rows(&a, "f.created_at", "f.id", l.old)
	}
	return &a
}

// from adds the tables of a list that is sorted by counts. It starts from the counts, or from the faults if an index of them finds the
// few that match.
func (l faultList) from(a *Assembly) {
	if l.Filter.few() {
		a.Add(" FROM faults f CROSS JOIN fault_counts c")
		return
	}
	a.Add(" FROM fault_counts c CROSS JOIN faults f")
}

func (l faultList) unmoved(a *Assembly) {
	if l.Page.Mark != "" {
		a.Add(" AND c.last_notice_at <= ?", l.at.asOf)
	}
}

func (l faultList) old(a *Assembly) {
	if l.Page.Back { // newer ones never lie after a cursor
		a.Add(" AND f.id <= ?", l.at.asOf)
	}
}

// moved is the statement that reads the faults that got notices after the first page was read, sorted by their value at that time: by
// their newest notice then, or by their count without the later notices. A newer fault has no such value and is omitted.
func (l faultList) moved() *Assembly {
	var a Assembly
	l.columns(&a, "c.value")
	a.Add(" FROM (SELECT m.fault_id, m.project_id, m.notices_count, m.last_notice_at, ")
	since := (l.at.asOf + 1) * sett.MaxNodes // the first id after it
	if l.Page.Order == Recent {
		a.Add("(SELECT max(v.id) / ? FROM (", int64(sett.MaxNodes))
		l.everyPart(&a, func(where string) { a.Add("SELECT max(n.id) AS id"+where+" AND n.id < ?", since) })
		a.Add(") v)")
	} else {
		a.Add("m.notices_count - (SELECT CAST(sum(v.count) AS bigint) FROM (")
		l.everyPart(&a, func(where string) {
			a.Add("SELECT count(*) AS count"+where+" AND n.id >= ? AND n.id < (m.last_notice_at + 1) * ?", since, int64(sett.MaxNodes))
		})
		a.Add(") v)")
	}
	a.Add(" AS value FROM fault_counts m WHERE m.project_id = ? AND m.last_notice_at > ?) c CROSS JOIN faults f", l.ProjectID, l.at.asOf)
	l.rows(&a, "c.value", "c.fault_id", func(a *Assembly) { a.Add(" AND c.value > 0") })
	return &a
}

// everyPart appends a query for the notices n of a fault whose counts are m, and of its parts, as rows.
func (l faultList) everyPart(a *Assembly, ask func(where string)) {
	ask(" FROM fault_notices n WHERE n.fault_id = m.fault_id")
	if l.Filter.inParts {
		a.Add(" UNION ALL ")
		ask(" FROM merged_faults g JOIN fault_notices n ON n.fault_id = g.id WHERE g.into_id = m.fault_id")
	}
}

// columns starts a statement of a list that is sorted by value.
func (l faultList) columns(a *Assembly, value string) {
	a.Add("-- searchdb.ListFaults\nSELECT " + faultdb.Columns + ", ")
	if l.Filter.narrows() && l.Filter.found == nil {
		a.Add("(SELECT count(*)")
		a.matchNotices(l.Filter, own)
		if l.Filter.inParts {
			a.Add(") + (SELECT count(*)")
			a.matchNotices(l.Filter, ofParts)
		}
		a.Add("), ")
	} else {
		a.Add("CAST(NULL AS bigint), ")
	}
	a.Add(value)
}

// rows ends a statement of a list that is sorted by value and id; more adds conditions.
func (l faultList) rows(a *Assembly, value, id string, more func(*Assembly)) {
	a.Add(" LEFT JOIN users u ON u.id = f.assignee_id WHERE c.fault_id = f.id AND c.project_id = ? AND", l.ProjectID)
	a.matchFaults(l.ProjectID, l.Now, l.Filter)
	more(a)
	skip, most := l.Page.Rows()
	switch {
	case l.Page.Back:
		a.Add(" AND ("+value+", "+id+") >= (?, ?) ORDER BY "+value+", "+id+" LIMIT ?", l.at.value, l.at.id, most)
		return
	case l.Page.Mark != "":
		a.Add(" AND ("+value+", "+id+") < (?, ?)", l.at.value, l.at.id)
	}
	a.Add(" ORDER BY "+value+" DESC, "+id+" DESC LIMIT ? OFFSET ?", most, skip)
}
