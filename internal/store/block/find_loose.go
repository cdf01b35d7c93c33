package block

import (
	"context"
	"database/sql"
	"slices"
	"unsafe"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// looseID is a bundle that a search may open.
type looseID struct{ id, last int64 }

const looseOfProject = `-- block.looseOfProject
SELECT bundle_id, last_id FROM bundle_facets WHERE project_id = $1 AND last_id >= $2 ORDER BY bundle_id DESC`

const filtersOfLoose = `-- block.filtersOfLoose
SELECT bundle_id, body FROM bundle_filters WHERE project_id = $1`

const facetsOfLoose = `-- block.facetsOfLoose
SELECT bundle_id, slots, members, facets FROM bundle_facets WHERE bundle_id IN `

// looseAtOnce is how many bundles are read with one statement.
const looseAtOnce = 32

// loose searches the notices that are in no block yet: bundles that their filters leave, newest first, until it runs out of time. It always
// searches the newest.
func (f *finder) loose(ctx context.Context) error {
	left, err := f.looseBundles(ctx)
	if err != nil || len(left) == 0 {
		return err
	}
	if left, err = f.askLoose(ctx, left); err != nil {
		return err
	}
	for from := 0; from < len(left); from += looseAtOnce {
		if from > 0 && f.outOfTime() {
			for _, b := range left[from:] {
				f.Since = max(f.Since, b.last+1)
			}
			return nil
		}
		some := left[from:min(from+looseAtOnce, len(left))]
		ids := make([]int64, len(some))
		for i, b := range some {
			ids[i] = b.id
		}
		list, args := db.In(f.s.db, 1, ids)
		if err := f.s.eachBundle(ctx, f.q, bundleReader{f.matchLoose, f.unreadBundle}, facetsOfLoose+list+" ORDER BY bundle_id DESC", args...); err != nil {
			return err
		}
	}
	return nil
}

// looseBundles returns the bundles with notices in the range of the search. A bundle of notices of an earlier version has a negative id.
func (f *finder) looseBundles(ctx context.Context) (all []looseID, err error) {
	bounds := f.bounds()
	rows, err := f.q.QueryContext(ctx, f.s.db.Text(looseOfProject), f.project, bounds.From)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var b looseID
		err := rows.Scan(&b.id, &b.last)
		if max(b.id, -b.id) < bounds.To {
			all = append(all, b)
		}
		return err
	})
	return all, err
}

// askLoose returns the bundles that may have what is asked for, as far as their filters know. Bundles of an earlier version have none.
func (f *finder) askLoose(ctx context.Context, all []looseID) (left []looseID, err error) {
	if !slices.ContainsFunc(f.Terms, func(t column.Term) bool { return t.Whole() }) {
		return all, nil
	}
	without := map[int64]bool{}
	rows, err := f.q.QueryContext(ctx, f.s.db.Text(filtersOfLoose), f.project)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var body sql.RawBytes
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
		filter, err := column.OpenFilter(body)
		if err == nil && slices.ContainsFunc(f.Terms, func(t column.Term) bool { return t.RulesOut(filter) }) {
			without[id] = true
		}
		return nil // one whose filter is damaged is opened
	})
	return slices.DeleteFunc(all, func(b looseID) bool { return without[b.id] }), err
}

// matchLoose adds the notices of a bundle that match.
func (f *finder) matchLoose(members []Member, facets [][]byte) error {
	for _, m := range members {
		if m.Slot >= len(facets) || len(facets[m.Slot]) == 0 || !f.within(m.ID) {
			continue
		}
		text := facets[m.Slot]
		if err := f.judge(m.Fault, m.ID, unsafe.String(&text[0], len(text))); err != nil { // nothing keeps a part of it
			return err
		}
	}
	return nil
}
