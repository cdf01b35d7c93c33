package searchdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// listReader reads lists of faults of some projects in a snapshot: each project in the order of its index, merged.
type listReader struct {
	s     *Store
	q     db.Querier
	now   time.Time
	asked Filter
	fresh map[int64]triage.NewFaults // by project, as far as they are known
}

// filter returns the filter as it is prepared for a project, without a search for notices.
func (r listReader) filter(ctx context.Context, project int64) (Filter, error) {
	f := r.asked
	f.fresh = r.fresh[project]
	f, err := f.dated(ctx, r.s, r.q, project, r.now)
	f.spans = f.spansOfNotices()
	return f, err
}

// head is where the list of a project begins.
type head struct {
	project int64
	last    int64 // the time of its newest notice
	value   int64 // the highest that its faults have in the order of the list
}

const headsOfLists = `-- searchdb.headsOfLists
SELECT k.project_id,
    coalesce((SELECT max(c.last_notice_at) FROM fault_counts c WHERE c.project_id = k.project_id), 0),
    CASE k.sorted WHEN 'recent' THEN 0 WHEN 'frequent' THEN coalesce((SELECT max(n.notices_count) FROM fault_counts n WHERE n.project_id = k.project_id), 0)
        ELSE coalesce((SELECT max(f.created_at) FROM faults f WHERE f.project_id = k.project_id), 0) END
FROM {{rows k(project_id bigint, sorted text)}}`

// heads returns where the lists of some projects begin, the highest first.
func (r listReader) heads(ctx context.Context, projects []int64, order Order) (heads []head, err error) {
	err = r.s.db.ReadRows(ctx, r.q, headsOfLists, func(rows *sql.Rows) error {
		var h head
		err := rows.Scan(&h.project, &h.last, &h.value)
		if order == Recent {
			h.value = h.last
		}
		heads = append(heads, h)
		return err
	}, projects, slices.Repeat([]string{string(order)}, len(projects)))
	slices.SortFunc(heads, func(a, b head) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.project, b.project)) })
	return heads, db.Wrap("find where lists of faults begin", err)
}

// page returns a page of the faults that the filter matches in some projects, and the projects, those with the newest notices first.
func (r listReader) page(ctx context.Context, projects []int64, p Page) (page Found, order []int64, err error) {
	at, err := parseFaultMark(p.Mark, p.Order)
	if err != nil {
		return page, nil, err
	}
	heads, err := r.heads(ctx, projects, p.Order)
	if err == nil && p.Mark == "" {
		at.asOf, err = r.newest(ctx, heads, p.Order)
	}
	if err != nil {
		return page, nil, err
	}
	found, err := r.merged(ctx, heads, p, at, &page)
	if err != nil {
		return page, nil, err
	}
	behind := func(l listedFault) string { return faultMark{p.Order, at.asOf, l.value, l.ID}.String() }
	found, page.Marks = sett.Cut(p.Page, found, behind)
	for _, l := range found {
		page.Faults, page.At = append(page.Faults, l.Fault), append(page.At, behind(l))
	}
	slices.SortStableFunc(heads, func(a, b head) int { return cmp.Compare(b.last, a.last) })
	for _, h := range heads {
		order = append(order, h.project)
	}
	return page, order, nil
}

// The newest fault of all projects: no index ends with the newest fault of one project, and any newer fault is newer here too.
const newestFault = `-- searchdb.newestFault
SELECT coalesce(max(id), 0) FROM faults`

// newest returns the asOf of a list's cursors.
func (r listReader) newest(ctx context.Context, heads []head, order Order) (newest int64, err error) {
	if order == ByCreation {
		err = r.q.QueryRowContext(ctx, r.s.db.Text(newestFault)).Scan(&newest)
		return newest, err
	}
	for _, h := range heads {
		newest = max(newest, h.last)
	}
	return newest, nil
}

// merged reads the rows of a page from the lists of projects, and what the page says of all. It leaves out the lists that begin below the page
// or, going back, end above it.
func (r listReader) merged(ctx context.Context, heads []head, p Page, at faultMark, page *Found) (found []listedFault, err error) {
	_, most := p.Rows()
	for _, h := range heads {
		full := len(found) == most && !p.Back && h.value < found[most-1].value
		if counted := p.Counted && page.Total <= MostCountedFaults; full && !counted || p.Back && h.value < at.value && !counted {
			continue
		}
		f, err := r.filter(ctx, h.project)
		if err == nil {
			f, err = r.s.knowFaults(ctx, r.q, h.project, r.now, f)
		}
		if err == nil && f.asksForFacets() {
			f.found, err = r.s.findNotices(ctx, r.q, h.project, f)
		}
		if err != nil {
			return nil, err
		}
		rows, err := r.s.faultPage(ctx, r.q, faultList{ProjectID: h.project, Now: r.now, Filter: f, Page: p, at: at})
		if err == nil && p.Counted {
			err = r.count(ctx, h.project, f, p, len(rows), page)
		}
		if err != nil {
			return nil, err
		}
		page.searched(f.found, rows)
		found = joined(found, rows, p.Back, most)
	}
	return found, nil
}

// count adds the matches of a project to those of a page that counts them.
func (r listReader) count(ctx context.Context, project int64, f Filter, p Page, rows int, page *Found) error {
	n, err := r.s.countListed(ctx, r.q, project, r.now, f, p, rows)
	page.Total = min(page.Total+n, MostCountedFaults+1)
	return err
}

// searched adds what the search for notices of a project has found, and what it could not read.
func (page *Found) searched(found *foundNotices, rows []listedFault) {
	if found == nil {
		return
	}
	if found.since.After(page.Since) {
		page.Since = found.since
	}
	page.Unread, page.Away = page.Unread+found.unread, page.Away+found.away
	for i := range rows {
		n := found.counts[rows[i].ID]
		rows[i].InRange = &n
	}
}

// joined returns the first of two pages of faults, in the order of pages that go back or not.
func joined(a, b []listedFault, back bool, most int) []listedFault {
	all := append(a, b...)
	slices.SortFunc(all, func(a, b listedFault) int {
		if back {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), most)]
}
