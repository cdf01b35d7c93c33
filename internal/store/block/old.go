package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"sett/internal/store/db"
)

// Notices of earlier versions have their facets beside them, as text, and share bundles with those of other projects. They are moved to
// bundles of one project in the background, in the order of their ids, and compacted like all others from then on. Until then searches
// read them one by one.

const oldNotices = `-- block.oldNotices
SELECT upto, last FROM old_notices WHERE id = 0`

// Old returns how far the notices of earlier versions are moved, and the last of them, as ids: 0 and 0 if there are none left.
func (s *Store) Old(ctx context.Context, q db.Querier) (upto, last int64, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(oldNotices)).Scan(&upto, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, nil
	}
	return upto, last, db.Wrap("find notices of earlier versions", err)
}

const oldFacets = `-- block.oldFacets
SELECT n.id, n.fault_id, p.facets FROM faults f JOIN fault_notices n ON n.fault_id = f.id JOIN notices p ON p.id = n.id
WHERE f.project_id = $1 AND n.id > $2 AND n.id <= $3 AND p.facets <> ''
UNION ALL SELECT n.id, n.fault_id, p.facets FROM merged_faults f JOIN fault_notices n ON n.fault_id = f.id JOIN notices p ON p.id = n.id
WHERE f.project_id = $1 AND n.id > $2 AND n.id <= $3 AND p.facets <> ''`

// old searches the notices of earlier versions that are not moved yet.
func (f *finder) old(ctx context.Context) error {
	upto, last, err := f.s.Old(ctx, f.q)
	if err != nil || last == 0 {
		return err
	}
	n := 0
	rows, err := f.q.QueryContext(ctx, f.s.db.Text(oldFacets), f.project, upto, last)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		if n++; n%oldAtOnce == 1 && f.outOfTime() {
			return errOutOfTime
		}
		var id, fault int64
		var facets string
		if err := rows.Scan(&id, &fault, &facets); err != nil {
			return err
		}
		if !f.within(id) {
			return nil
		}
		return f.judge(fault, id, facets)
	})
	if errors.Is(err, errOutOfTime) {
		f.Since, err = max(f.Since, last+1), nil
	}
	return err
}

// oldAtOnce is after how many notices of earlier versions a search looks at the time.
const oldAtOnce = 256

var errOutOfTime = errors.New("the time for the search is over")

const nextOld = `-- block.nextOld
SELECT n.id, n.fault_id, coalesce(f.project_id, m.project_id, 0), n.bundle_id, n.slot, n.facets FROM notices n
LEFT JOIN faults f ON f.id = n.fault_id LEFT JOIN merged_faults m ON m.id = n.fault_id
WHERE n.id > $1 AND n.id <= $2 ORDER BY n.id LIMIT $3 {{for update of n}}`

const moveOld = `-- block.moveOld
UPDATE notices SET bundle_id = k.bundle_id, slot = k.slot, facets = '' FROM {{rows k(id bigint, bundle_id bigint, slot bigint)}} WHERE notices.id = k.id`

const setOld = `-- block.setOld
UPDATE old_notices SET upto = $1 WHERE id = 0`

const dropOld = `-- block.dropOld
DELETE FROM old_notices`

// oldNotice is a notice of an earlier version.
type oldNotice struct {
	id, fault, project, bundle int64
	slot                       int
	facets                     string
}

// MoveOld moves the next notices of earlier versions, about most of them, and returns how many; 0 means that none are left. It is for one
// process at a time.
func (t Tx) MoveOld(ctx context.Context, most int64) (n int, err error) {
	upto, last, err := t.s.Old(ctx, t)
	if err != nil || last == 0 {
		return 0, err
	}
	some, next, err := t.nextOld(ctx, upto, last, most)
	if err != nil {
		return 0, err
	}
	if err := t.move(ctx, some); err != nil {
		return 0, err
	}
	if next >= last {
		_, err = t.Exec(ctx, dropOld)
	} else {
		_, err = t.Exec(ctx, setOld, next)
	}
	return max(1, len(some)), db.Wrap("note how many notices were moved", err)
}

// nextOld returns the next notices to move, and the id up to which they are all. It leaves out those of deleted faults. It locks them, so that
// none is deleted while it is moved.
func (t Tx) nextOld(ctx context.Context, upto, last, most int64) (some []oldNotice, next int64, err error) {
	read := int64(0)
	rows, err := t.QueryContext(ctx, t.s.db.Text(nextOld), upto, last, most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var n oldNotice
		err := rows.Scan(&n.id, &n.fault, &n.project, &n.bundle, &n.slot, &n.facets)
		if read, next = read+1, n.id; n.facets != "" && n.project != 0 {
			some = append(some, n)
		}
		return err
	})
	if read < most {
		next = last
	}
	return some, next, db.Wrap("read notices of earlier versions", err)
}

// move moves notices to bundles of their projects.
func (t Tx) move(ctx context.Context, some []oldNotice) error {
	deleted := map[int64]int64{}
	byProject := map[int64][]oldNotice{}
	for _, n := range some {
		deleted[n.bundle] |= 1 << n.slot
		byProject[n.project] = append(byProject[n.project], n)
	}
	payloads := map[int64][][]byte{}
	if _, err := t.clearSlots(ctx, deleted, func(id int64, opened [][]byte) { payloads[id] = opened }); err != nil {
		return err
	}
	var added []*Added
	var ids, bundles, slots []int64
	for _, project := range db.Sorted(byProject, cmp.Compare) {
		for _, a := range bundlesOf(project, byProject[project], payloads) {
			added = append(added, a)
			for _, m := range a.Members {
				ids, bundles, slots = append(ids, m.ID), append(bundles, a.ID), append(slots, int64(m.Slot))
			}
		}
	}
	if err := t.AddBundles(ctx, added); err != nil {
		return err
	}
	return db.Wrap("move notices of earlier versions", t.Each(ctx, moveOld, ids, bundles, slots))
}

// bundlesOf makes bundles of the notices of a project. A payload that cannot be read is empty; so it was before.
func bundlesOf(project int64, notices []oldNotice, payloads map[int64][][]byte) (added []*Added) {
	for len(notices) > 0 {
		a := &Added{Bundle: &Bundle{}, ProjectID: project}
		var bodies, facets []byte
		var bodyLengths, facetLengths []int
		for len(notices) > 0 && len(a.Members) < MostInBundle && (len(a.Members) == 0 || len(bodies) < MostBytesInBundle) {
			n := notices[0]
			notices = notices[1:]
			var payload []byte
			if opened := payloads[n.bundle]; n.slot < len(opened) {
				payload = opened[n.slot]
			}
			a.Members = append(a.Members, Member{len(a.Members), n.id, n.fault})
			bodies, bodyLengths = append(bodies, payload...), append(bodyLengths, len(payload))
			facets, facetLengths = append(facets, n.facets...), append(facetLengths, len(n.facets))
		}
		a.ID = -a.Members[0].ID // an id that no bundle of an earlier version has
		a.Body = AppendBundle(nil, AppendLengths(bodies, bodyLengths), len(a.Members))
		a.Facets = AppendBundle(nil, AppendLengths(facets, facetLengths), len(a.Members))
		a.Filter = filterOf(a.Facets)
		added = append(added, a)
	}
	return added
}
