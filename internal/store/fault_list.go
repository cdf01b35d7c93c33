package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// FaultOrder is how a list of faults is sorted; the greatest come first.
type FaultOrder string

// The orders of the contract. Faults that are equal are sorted by their ids.
const (
	ByCreation FaultOrder = ""         // when they were made
	Recent     FaultOrder = "recent"   // when they last occurred
	Frequent   FaultOrder = "frequent" // how many notices they have
)

// FaultPage says which part of a list of faults is asked for.
type FaultPage struct {
	Order  FaultOrder
	Size   int    // most faults
	Offset int    // how many to skip; not used with After
	After  string // the mark that the page before returned, or ""
}

// mark is where a page ends. New notices move faults to the front of a list by recency or frequency; so that the pages
// that follow show each fault once, they show those lists as they were at asOf, when the first page was read.
type mark struct {
	order           FaultOrder
	asOf, value, id int64 // µs; what the last fault of the page is sorted by; its id
}

func (m mark) String() string { return fmt.Sprintf("%s.%d.%d.%d", m.order, m.asOf, m.value, m.id) }

// parseMark reads a mark of a list in the given order; the zero mark from "".
func parseMark(text string, order FaultOrder) (m mark, err error) {
	if text == "" {
		return mark{order: order}, nil
	}
	parts := strings.Split(text, ".")
	bad := len(parts) != 4 || parts[0] != string(order)
	for i, dst := range []*int64{&m.asOf, &m.value, &m.id} {
		if !bad {
			*dst, err = strconv.ParseInt(parts[i+1], 10, 64)
			bad = err != nil || *dst < 0
		}
	}
	if m.order = order; bad {
		return mark{}, sett.Errorf(sett.Invalid, "cursor must be taken from a next link of the same list")
	}
	return m, nil
}

// ListFaults returns a page of the faults that the filter means. next is the mark of the page that follows, or "" when
// this is the last. A mark that is none is an Invalid error.
func (s *Store) ListFaults(ctx context.Context, now time.Time, projectID int64, f FaultFilter, p FaultPage) (faults []sett.Fault, next string, err error) {
	after, err := parseMark(p.After, p.Order)
	if err != nil {
		return nil, "", err
	}
	var found []listedFault
	err = s.snapshot(ctx, "list faults", func(q querier) error {
		if f, err = f.dated(ctx, s, q, projectID); err != nil {
			return err
		}
		list := faultList{projectID: projectID, now: now, filter: f, page: p, after: after}
		if p.After == "" {
			list.after.asOf, err = s.lastNoticeAt(ctx, q, projectID)
		}
		if err == nil {
			found, err = s.faultPage(ctx, q, list)
		}
		after.asOf = list.after.asOf
		return err
	})
	for _, l := range found[:min(len(found), p.Size)] {
		faults = append(faults, l.Fault)
	}
	if len(found) > p.Size {
		last := found[p.Size-1]
		next = mark{p.Order, after.asOf, last.value, last.ID}.String()
	}
	return faults, next, err
}

const lastNoticeAt = `-- store.lastNoticeAt
SELECT coalesce(max(last_notice_at), 0) FROM fault_counts WHERE project_id = $1`

func (s *Store) lastNoticeAt(ctx context.Context, q querier, projectID int64) (at int64, err error) {
	err = q.QueryRowContext(ctx, s.text(lastNoticeAt), projectID).Scan(&at)
	return at, err
}

// faultList is one asking for a page of a list.
type faultList struct {
	projectID int64
	now       time.Time
	filter    FaultFilter
	page      FaultPage
	after     mark
}

// listedFault is a fault with what its list is sorted by.
type listedFault struct {
	sett.Fault
	value int64
}

// faultPage returns the faults of a page and, if there is one, the fault after it. A page behind a mark is put together
// from the faults that stayed where they were and those that have moved since.
func (s *Store) faultPage(ctx context.Context, q querier, l faultList) ([]listedFault, error) {
	found, err := s.listedFaults(ctx, q, l.steady())
	if err != nil || l.page.After == "" || l.page.Order == ByCreation {
		return found, err
	}
	moved, err := s.listedFaults(ctx, q, l.moved())
	found = append(found, moved...)
	slices.SortFunc(found, func(a, b listedFault) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(len(found), l.page.Size+1)], err
}

func (s *Store) listedFaults(ctx context.Context, q querier, a *assembly) (found []listedFault, err error) {
	rows, err := q.QueryContext(ctx, a.statement(s.dialect), a.args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var l listedFault
		var inRange *int64
		fault, err := scanFault(rows, &inRange, &l.value)
		l.Fault = fault
		l.InRange = inRange
		found = append(found, l)
		return err
	})
	return found, err
}

// steady is the statement that reads the list as it is now; behind a mark, without the faults that moved. SQLite joins
// in the order of the text, so that what stands first brings its index's order along.
func (l faultList) steady() *assembly {
	var a assembly
	switch l.page.Order {
	case Recent:
		l.columns(&a, "c.last_notice_at")
		a.add(" FROM fault_counts c CROSS JOIN faults f")
		l.rows(&a, "c.last_notice_at", "c.fault_id", l.unmoved)
	case Frequent:
		l.columns(&a, "c.notices_count")
		a.add(" FROM fault_counts c CROSS JOIN faults f")
		l.rows(&a, "c.notices_count", "c.fault_id", l.unmoved)
	default:
		l.columns(&a, "f.created_at")
		a.add(" FROM faults f CROSS JOIN fault_counts c")
		l.rows(&a, "f.created_at", "f.id", func(*assembly) {})
	}
	return &a
}

func (l faultList) unmoved(a *assembly) {
	if l.page.After != "" {
		a.add(" AND c.last_notice_at <= ?", l.after.asOf)
	}
}

// moved is the statement that reads the faults that got notices after the mark's list was begun, sorted by what they
// were then: by their newest notice of that time, or without the notices that were counted since. A fault that is newer
// than that has no such value and is left out.
func (l faultList) moved() *assembly {
	var a assembly
	l.columns(&a, "c.value")
	a.add(" FROM (SELECT m.fault_id, m.project_id, m.notices_count, m.last_notice_at, ")
	since := noticeIDAt(fromMicros(l.after.asOf + 1))
	if l.page.Order == Recent {
		a.add("(SELECT max(n.id) / ? FROM notices n WHERE n.fault_id = m.fault_id AND n.id < ?)", int64(sett.MaxNodes), since)
	} else {
		a.add("m.notices_count - (SELECT count(*) FROM notices n WHERE n.fault_id = m.fault_id AND n.id >= ? AND n.id < (m.last_notice_at + 1) * ?)",
			since, int64(sett.MaxNodes))
	}
	a.add(" AS value FROM fault_counts m WHERE m.project_id = ? AND m.last_notice_at > ?) c CROSS JOIN faults f", l.projectID, l.after.asOf)
	l.rows(&a, "c.value", "c.fault_id", func(a *assembly) { a.add(" AND c.value > 0") })
	return &a
}

// columns begins a statement of the list that is sorted by value.
func (l faultList) columns(a *assembly, value string) {
	a.add("-- store.ListFaults\nSELECT " + faultColumns + ", ")
	if l.filter.narrows() {
		a.add("(SELECT count(*)")
		a.matchNotices(l.filter)
		a.add("), ")
	} else {
		a.add("CAST(NULL AS bigint), ")
	}
	a.add(value)
}

// rows ends a statement of the list that is sorted by value and id; more adds conditions.
func (l faultList) rows(a *assembly, value, id string, more func(*assembly)) {
	a.add(" LEFT JOIN users u ON u.id = f.assignee_id WHERE c.fault_id = f.id AND c.project_id = ? AND", l.projectID)
	a.matchFaults(l.projectID, l.now, l.filter)
	more(a)
	if l.page.After != "" {
		a.add(" AND ("+value+", "+id+") < (?, ?)", l.after.value, l.after.id)
	}
	a.add(" ORDER BY "+value+" DESC, "+id+" DESC LIMIT ?", l.page.Size+1)
	if l.page.After == "" {
		a.add(" OFFSET ?", l.page.Offset)
	}
}
