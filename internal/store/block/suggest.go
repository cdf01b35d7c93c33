package block

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"sett/internal/event/column"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// How much of a project Recent reads at most, so that it takes no longer for more notices: bundles, until they have so many notices, and
// blocks.
const (
	RecentBundles = 512
	RecentNotices = 1024
	RecentBlocks  = 2
)

// Depth is how much of a project Recent reads at most.
type Depth struct{ Bundles, Notices, Blocks int }

// Deep is enough to show what occurs, and Shallow takes a tenth of the time.
var (
	Deep    = Depth{RecentBundles, RecentNotices, RecentBlocks}
	Shallow = Depth{128, 256, 1}
)

// Recent are the newest notices of a project: those of some bundles, and of some blocks. It knows nothing of notices that an earlier version
// stored and that were not moved yet, and what is damaged is left out.
type Recent struct {
	Older bool // there are others, which are not read

	s      *Store
	q      db.Querier
	loose  []recentNotice
	blocks []*recentBlock
}

// recentNotice is a notice in a bundle.
type recentNotice struct {
	fault  int64
	facets []byte
}

// recentBlock is a block with the rows that are left out.
type recentBlock struct {
	held
	without column.Set
}

const recentFacets = `-- block.recentFacets
SELECT bundle_id, slots, members, facets FROM bundle_facets WHERE project_id = $1 ORDER BY bundle_id DESC LIMIT $2`

const recentBlocksOf = `-- block.recentBlocksOf
SELECT id, project_id, count, remote, gone, notices FROM blocks WHERE project_id = $1 ORDER BY id DESC LIMIT $2`

// Recent reads the newest notices of a project. q must be a snapshot, and is used until they are done with.
func (s *Store) Recent(ctx context.Context, q db.Querier, projectID int64, depth Depth) (*Recent, error) {
	r := &Recent{s: s, q: q}
	bundles := 0
	read := func(members []Member, facets [][]byte) error {
		if r.Older = bundles == depth.Bundles || len(r.loose) >= depth.Notices; r.Older {
			return errFoundAll
		}
		bundles++
		for _, m := range members {
			if m.Slot < len(facets) {
				r.loose = append(r.loose, recentNotice{m.Fault, facets[m.Slot]})
			}
		}
		return nil
	}
	err := s.eachBundle(ctx, q, bundleReader{read, func(int64, error) error { return nil }}, recentFacets, projectID, depth.Bundles+1)
	if err != nil && !errors.Is(err, errFoundAll) {
		return nil, fmt.Errorf("read recent bundles: %w", err)
	}
	if r.Older {
		return r, nil
	}
	blocks := 0
	rows, err := q.QueryContext(ctx, s.db.Text(recentBlocksOf), projectID, depth.Blocks+1)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		if blocks++; blocks > depth.Blocks {
			r.Older = true
			return nil
		}
		b := &recentBlock{}
		var notices []byte
		if err := rows.Scan(&b.id, &b.project, &b.count, &b.remote, &b.gone, &notices); err != nil {
			return err
		}
		var damaged, unknown error
		b.list, damaged = openList(notices, b.id)
		if b.without, unknown = column.ReadSet(b.gone, len(b.ids)); damaged == nil && unknown == nil {
			r.blocks = append(r.blocks, b)
		}
		return nil
	})
	return r, db.Wrap("read recent blocks", err)
}

// Notices returns how many notices there are.
func (r *Recent) Notices() (n int64) {
	n = int64(len(r.loose))
	for _, b := range r.blocks {
		n += int64(len(b.ids) - b.without.CountIn(0, len(b.ids)))
	}
	return n
}

// Faults returns the faults of the notices, in order.
func (r *Recent) Faults() (faults []int64) {
	for _, n := range r.loose {
		faults = append(faults, n.fault)
	}
	for _, b := range r.blocks {
		for _, run := range b.runs {
			faults = append(faults, run.fault)
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// Keep leaves out the notices of all other faults.
func (r *Recent) Keep(faults map[int64]bool) {
	r.loose = slices.DeleteFunc(r.loose, func(n recentNotice) bool { return !faults[n.fault] })
	for _, b := range r.blocks {
		for _, run := range b.runs {
			for row := run.from; row < run.to && !faults[run.fault]; row++ {
				b.without.Add(row)
			}
		}
	}
}

// Keys counts the notices that have a key of facets, for each key that is wanted. It reads no more blocks once it has seen RecentNotices,
// because all parts of a block have keys.
func (r *Recent) Keys(ctx context.Context, wanted func(key string) bool) (counts map[string]int64, err error) {
	counts = map[string]int64{}
	for key, n := range r.looseKeys() {
		if wanted(key) {
			counts[key] = n.notices
		}
	}
	seen := len(r.loose)
	for _, b := range r.blocks {
		if seen >= RecentNotices {
			break
		}
		seen += len(b.ids)
		parts, err := r.s.parts(ctx, r.q, &b.held)
		if leftOut(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read keys of block %d: %w", b.id, err)
		}
		for _, part := range parts {
			b.addKeys(part.body, wanted, counts)
		}
	}
	return counts, nil
}

// keyCount counts the notices that have a key.
type keyCount struct {
	notices int64
	last    int // the one that was counted last
}

func (r *Recent) looseKeys() map[string]*keyCount {
	counts := map[string]*keyCount{}
	for i, n := range r.loose {
		for line := range bytes.SplitSeq(n.facets, []byte{'\n'}) {
			key, _, ok := bytes.Cut(line, []byte{'='})
			if !ok {
				continue
			}
			c := counts[string(key)]
			if c == nil {
				c = &keyCount{last: -1}
				counts[string(key)] = c
			}
			if c.last != i { // it may have several values of the key
				c.notices, c.last = c.notices+1, i
			}
		}
	}
	return counts
}

// leftOut reports whether a block is left out because of an error: it is in object storage and cannot be read, or not yet.
func leftOut(err error) bool {
	return errors.Is(err, db.ErrLater) || errors.Is(err, errBlock) || sett.CodeOf(err) == sett.Unavailable
}

// addKeys counts the keys of a part.
func (b *recentBlock) addKeys(body []byte, wanted func(key string) bool, counts map[string]int64) {
	part, err := column.OpenPart(body, len(b.ids))
	if err != nil {
		return
	}
	for _, key := range part.Keys() {
		if !wanted(key) {
			continue
		}
		if n, err := part.Rows(key, b.without); err == nil && n > 0 {
			counts[key] += int64(n)
		}
	}
}

// Values counts the notices that have a value of a key, for each value.
func (r *Recent) Values(ctx context.Context, key string) (counts map[string]int64, err error) {
	counts = map[string]int64{}
	before := []byte("\n" + key + "=")
	for _, n := range r.loose {
		for rest := n.facets; ; {
			_, after, ok := bytes.Cut(rest, before)
			if !ok {
				break
			}
			value, _, _ := bytes.Cut(after, []byte{'\n'})
			counts[string(value)]++
			rest = after[len(value):]
		}
	}
	for _, b := range r.blocks {
		if err := r.addValues(ctx, b, key, counts); err != nil {
			return nil, fmt.Errorf("read values of block %d: %w", b.id, err)
		}
	}
	return counts, nil
}

func (r *Recent) addValues(ctx context.Context, b *recentBlock, key string, counts map[string]int64) error {
	for number := range column.ByPart([]string{key}) {
		body, err := r.s.part(ctx, r.q, &b.held, number)
		if body == nil && err == nil || leftOut(err) {
			continue
		}
		if err != nil {
			return err
		}
		part, err := column.OpenPart(body, len(b.ids))
		if err == nil {
			err = part.Values(key, b.without, func(value string, rows int) { counts[value] += int64(rows) })
		}
		if err != nil {
			continue // it is damaged
		}
	}
	return nil
}
