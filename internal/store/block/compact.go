package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"sett/internal/event/column"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// Compactor compacts bundles into blocks. It keeps its memory from one block to the next, so it is dropped when there is nothing to do. It is
// for one goroutine at a time.
type Compactor struct {
	s      *Store
	packer *packer
}

// Compactor returns a Compactor.
func (s *Store) Compactor() *Compactor {
	return &Compactor{s, &packer{columns: column.NewEncoder(), known: s.Known}}
}

// What is not counted would be read again from its bundle after a crash, and its fault may be deleted before it is counted. So the notices of
// a bundle f stay in it until all of them are counted: in an SQLite file under one number, in PostgreSQL under that of the node.
var (
	countedInFile  = fmt.Sprintf(` f.last_id <= (SELECT min(upto) FROM digests WHERE node = %d)`, sett.FileNode)
	countedByNodes = fmt.Sprintf(` NOT EXISTS (SELECT 1 FROM (SELECT node, min(upto) AS upto FROM digests GROUP BY node) d
    WHERE d.node = f.last_id %% %d AND d.upto < f.last_id)`, sett.MaxNodes)
)

// counted is the condition for the engine of the database.
func (s *Store) counted() string {
	if s.db.SQLite() {
		return countedInFile
	}
	return countedByNodes
}

const dueProjects = `-- block.dueProjects
SELECT f.project_id FROM bundle_facets f WHERE%s GROUP BY f.project_id
HAVING sum(f.count) >= $1 OR sum(f.count) >= $2 AND min(f.bundle_id) < $3 ORDER BY f.project_id`

// Due returns the projects that have enough notices for a block: the most that it takes, or the least if the first was stored before the given id.
func (s *Store) Due(ctx context.Context, before int64) ([]int64, error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, fmt.Sprintf(dueProjects, s.counted()), s.Sizes.Most, s.Sizes.Least, before)
	return ids, db.Wrap("find projects with notices for a block", err)
}

const waitingNotices = `-- block.waitingNotices
SELECT coalesce(CAST(sum(count) AS bigint), 0) FROM bundle_facets`

// Waiting returns how many notices are in no block yet.
func (s *Store) Waiting(ctx context.Context) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(waitingNotices)).Scan(&n)
	return n, db.Wrap("count notices that are in no block", err)
}

// countedBundles reads as many bundles as a block takes, and the one that it has no room for: PostgreSQL sends all rows, even if the reader
// wants no more.
const countedBundles = `-- block.countedBundles
WITH due AS (SELECT f.bundle_id AS id, sum(f.count) OVER (ORDER BY f.bundle_id) - f.count AS before FROM bundle_facets f
    WHERE f.project_id = $1 AND%s ORDER BY f.bundle_id LIMIT $2 + 1)
SELECT f.bundle_id, f.last_id, f.slots, f.members, f.facets, b.body
FROM due JOIN bundle_facets f ON f.bundle_id = due.id JOIN bundles b ON b.id = due.id WHERE due.before < $2`

// counted returns the bundles of a project that countedBundles reads, oldest first.
func (c *Compactor) counted(ctx context.Context, projectID int64) (all []looseBundle, err error) {
	rows, err := c.s.db.Read.QueryContext(ctx, c.s.db.Text(fmt.Sprintf(countedBundles, c.s.counted())), projectID, c.s.Sizes.Most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var b looseBundle
		var list []byte
		if err := rows.Scan(&b.id, &b.last, &b.slots, &list, &b.facets, &b.body); err != nil {
			return err
		}
		var err error
		if b.members, err = readMembers(list, b.id, b.slots); err == nil {
			all = append(all, b)
		}
		return nil // a damaged bundle stays where it is
	})
	slices.SortFunc(all, func(a, b looseBundle) int { return cmp.Compare(a.id, b.id) })
	return all, err
}

// Gather reads notices of a project for its next block, oldest first, and packs them. It returns nil if there are not enough; see Due.
func (c *Compactor) Gather(ctx context.Context, projectID, before int64) (*Next, error) {
	next := &Next{project: projectID, slots: map[int64]int64{}}
	bundles, err := c.counted(ctx, projectID)
	if err != nil {
		return nil, fmt.Errorf("read bundles for a block: %w", err)
	}
	var notices []Notice
	full := false
	for i := range bundles {
		b := &bundles[i]
		if n := bits.OnesCount64(uint64(b.slots)); len(notices) > 0 && len(notices)+n > int(c.s.Sizes.Most) {
			full = true
			break
		}
		notices = append(notices, b.notices()...)
		next.bundles, next.slots[b.id] = append(next.bundles, b.id), b.slots
	}
	enough := full || len(notices) >= int(c.s.Sizes.Most) || len(notices) >= int(c.s.Sizes.Least) && next.bundles[0] < before
	if !enough || len(notices) == 0 {
		return nil, nil
	}
	next.packed, err = c.packer.pack(notices)
	return next, db.Wrap("pack a block", err)
}

// notices returns the notices of the bundle, and gives its compressed texts up. What cannot be read of them is empty; so it was before.
func (b *looseBundle) notices() (all []Notice) {
	payloads, err := OpenBundle(b.body)
	if err != nil {
		payloads = nil
	}
	facets, err := OpenBundle(b.facets)
	if err != nil {
		facets = nil
	}
	b.body, b.facets = nil, nil
	for _, m := range b.members {
		n := Notice{ID: m.ID, Fault: m.Fault, Facets: "\n"}
		if m.Slot < len(payloads) {
			n.Payload = payloads[m.Slot]
		}
		if m.Slot < len(facets) {
			n.Facets = unsafe.String(unsafe.SliceData(facets[m.Slot]), len(facets[m.Slot])) // nothing changes them
		}
		all = append(all, n)
	}
	return all
}

// Next is a block that is packed and not stored.
type Next struct {
	*packed
	project int64
	bundles []int64         // that it replaces
	slots   map[int64]int64 // their used slots when they were read, as bits
}

// errChanged says that notices were deleted while they were packed.
var errChanged = errors.New("notices were deleted while they were packed")

const lockBundles = `-- block.lockBundles
SELECT b.id, b.slots FROM bundles b WHERE b.id IN (SELECT k.id FROM {{rows k(id bigint)}}) ORDER BY b.id {{for update of b}}`

const insertBlock = `-- block.insertBlock
INSERT INTO blocks (id, project_id, last_id, count, bytes, rewrites, gone, notices, marks) VALUES ($1, $2, $3, $4, $5, false, $6, $7, $8)`

const insertFilters = `-- block.insertFilters
INSERT INTO block_filters (project_id, number, block_id, body)
SELECT k.project_id, k.number, k.block_id, k.body FROM {{rows k(project_id bigint, number bigint, block_id bigint, body bytea)}} WHERE true`

const insertBlockParts = `-- block.insertBlockParts
INSERT INTO block_parts (block_id, number, body) SELECT k.block_id, k.number, k.body FROM {{rows k(block_id bigint, number bigint, body bytea)}} WHERE true`

const insertPayloads = `-- block.insertPayloads
INSERT INTO block_payloads (block_id, number, body)
SELECT k.block_id, k.number, k.body FROM {{rows k(block_id bigint, number bigint, body bytea)}} WHERE true`

// Store replaces bundles with the block that was packed of them. stored is false if notices of them were deleted meanwhile: then nothing
// has changed.
func (t Tx) Store(ctx context.Context, n *Next) (stored bool, err error) {
	left := len(n.bundles)
	err = t.EachRow(ctx, lockBundles, func(rows *sql.Rows) error {
		var id, slots int64
		err := rows.Scan(&id, &slots)
		if left--; err == nil && n.slots[id] != slots {
			err = errChanged
		}
		return err
	}, n.bundles)
	if errors.Is(err, errChanged) || err == nil && left != 0 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock bundles: %w", err)
	}
	if err := t.deleteBundles(ctx, db.Repeated(n.project, len(n.bundles)), n.bundles); err != nil {
		return false, err
	}
	return true, t.insert(ctx, n.project, n.packed)
}

// insert stores a block.
func (t Tx) insert(ctx context.Context, projectID int64, p *packed) error {
	if _, err := t.Exec(ctx, insertBlock, p.id, projectID, p.last, p.rows, p.bytes(), []byte{}, p.notices, p.marks); err != nil {
		return fmt.Errorf("insert a block: %w", err)
	}
	filters, filterNumbers := numbered(p.columns.Filters[:])
	err := t.Each(ctx, insertFilters, db.Repeated(projectID, len(filters)), filterNumbers, db.Repeated(p.id, len(filters)), filters)
	if err != nil {
		return fmt.Errorf("insert filters of a block: %w", err)
	}
	parts, numbers := numbered(p.columns.Parts[:])
	if err := t.Each(ctx, insertBlockParts, db.Repeated(p.id, len(parts)), numbers, parts); err != nil {
		return fmt.Errorf("insert facets of a block: %w", err)
	}
	counts, numbers := numbered(p.tallies[:])
	if err := t.Each(ctx, insertTallies, db.Repeated(projectID, len(counts)), numbers, db.Repeated(p.id, len(counts)), counts); err != nil {
		return fmt.Errorf("insert counts of a block: %w", err)
	}
	frames, numbers := numbered(p.frames)
	if err := t.Each(ctx, insertPayloads, db.Repeated(p.id, len(frames)), numbers, frames); err != nil {
		return fmt.Errorf("insert payloads of a block: %w", err)
	}
	return nil
}

// numbered returns the texts that there are, and their indexes.
func numbered(texts [][]byte) (some [][]byte, numbers []int64) {
	for i, text := range texts {
		if text != nil {
			some, numbers = append(some, text), append(numbers, int64(i))
		}
	}
	return some, numbers
}
