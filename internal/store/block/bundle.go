package block

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// Bundle holds the payloads and the facets of a few successive reports of a project. Compressed together they take a third less space and
// half the time, because most notices resemble their neighbours. Its payloads are a row of table bundles, its facets one of bundle_facets;
// the id of both is that of its first notice. A notice stores the slot of its payload.
//
// Both texts are compressed: the payloads or facets one after another, their lengths (four bytes each, little endian), and their number
// (one byte). Length 0 is that of a deleted notice. The filter, a row of bundle_filters, says which facets the bundle may contain.
type Bundle struct{ Body, Facets, Filter []byte }

// The limits of a bundle: to read one notice, all of them have to be decompressed.
const (
	MostInBundle      = 32        // reports
	MostBytesInBundle = 256 << 10 // of their bodies; a larger report gets a bundle of its own
)

// fewTogether is how many payloads are too few to compress well without the dictionary.
const fewTogether = 2

// AppendBundle appends the stored text of n payloads, or facets, which are followed by their lengths.
func AppendBundle(b, payloads []byte, n int) []byte {
	version := byte(CompressedTogether)
	if n <= fewTogether {
		version = CompressedAlone
	}
	return AppendCompressed(b, payloads, version)
}

// AppendLengths appends the lengths of payloads.
func AppendLengths(payloads []byte, lengths []int) []byte {
	for _, l := range lengths {
		payloads = binary.LittleEndian.AppendUint32(payloads, uint32(l))
	}
	return append(payloads, byte(len(lengths)))
}

// ErrBundle is the error of a stored bundle that is cut off.
var ErrBundle = errors.New("a stored bundle is cut off")

// OpenBundle returns the payloads, or the facets, of a bundle by their slots.
func OpenBundle(body []byte) ([][]byte, error) {
	data, err := Decompress(body)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	if len(data) == 0 {
		return nil, ErrBundle
	}
	n := int(data[len(data)-1])
	end := len(data) - 1 - 4*n
	if end < 0 {
		return nil, ErrBundle
	}
	payloads, from := make([][]byte, n), 0
	for i := range payloads {
		to := from + int(binary.LittleEndian.Uint32(data[end+4*i:]))
		if to > end {
			return nil, ErrBundle
		}
		payloads[i], from = data[from:to:to], to
	}
	return payloads, nil
}

// PayloadAt returns the payload in one slot of a bundle.
func PayloadAt(body []byte, slot int) ([]byte, error) {
	payloads, err := OpenBundle(body)
	if err != nil {
		return nil, err
	}
	if slot < 0 || slot >= len(payloads) {
		return nil, ErrBundle
	}
	return payloads[slot], nil
}

// onlySlots returns a stored text with only what is in the given slots. What cannot be read, which nothing can show, is returned
// unchanged.
func onlySlots(body []byte, slots int64) []byte {
	payloads, err := OpenBundle(body)
	if err != nil {
		return body
	}
	var kept []byte
	lengths, n := make([]int, len(payloads)), 0
	for slot, payload := range payloads {
		if slots>>slot&1 == 1 {
			kept, n = append(kept, payload...), n+1
			lengths[slot] = len(payload)
		}
	}
	return AppendBundle(nil, AppendLengths(kept, lengths), n)
}

// filterOf returns the filter of the stored facets of a bundle. That of what cannot be read is damaged too, so that searches open the bundle.
func filterOf(stored []byte) []byte {
	facets, err := OpenBundle(stored)
	if err != nil {
		return []byte{}
	}
	return column.AppendQuickFilter(nil, bytes.Join(facets, nil))
}

// Member is a notice in a bundle.
type Member struct {
	Slot      int
	ID, Fault int64 // the id of the notice, and that under which its fault's notices are stored
}

// appendMember appends a notice of a bundle as table bundle_facets has it: varints, the id as the difference to that of the bundle.
func appendMember(b []byte, bundle int64, m Member) []byte {
	b = binary.AppendUvarint(b, uint64(m.Slot))
	b = binary.AppendVarint(b, m.ID-bundle)
	return binary.AppendVarint(b, m.Fault)
}

// readMembers returns the notices of a bundle that are in the given slots.
func readMembers(b []byte, bundle, slots int64) (members []Member, err error) {
	for len(b) > 0 {
		slot, n := binary.Uvarint(b)
		if n <= 0 || slot > 63 {
			return nil, ErrBundle
		}
		b = b[n:]
		id, n := binary.Varint(b)
		if n <= 0 {
			return nil, ErrBundle
		}
		b = b[n:]
		fault, n := binary.Varint(b)
		if n <= 0 {
			return nil, ErrBundle
		}
		if b = b[n:]; slots>>slot&1 == 1 {
			members = append(members, Member{int(slot), bundle + id, fault})
		}
	}
	return members, nil
}

// Added is a bundle that is to be stored, with those of its reports that became notices, in the order of their ids.
type Added struct {
	*Bundle
	ID        int64
	ProjectID int64
	Members   []Member
}

const insertBundles = `-- block.insertBundles
INSERT INTO bundles (id, slots, body) SELECT k.id, k.slots, k.body FROM {{rows k(id bigint, slots bigint, body bytea)}} WHERE true`

const insertBundleFilters = `-- block.insertBundleFilters
INSERT INTO bundle_filters (project_id, bundle_id, body)
SELECT k.project_id, k.id, k.body FROM {{rows k(project_id bigint, id bigint, body bytea)}} WHERE true`

const insertBundleFacets = `-- block.insertBundleFacets
INSERT INTO bundle_facets (project_id, bundle_id, last_id, count, slots, members, facets)
SELECT k.project_id, k.id, k.last_id, k.count, k.slots, k.members, k.facets
FROM {{rows k(project_id bigint, id bigint, last_id bigint, count bigint, slots bigint, members bytea, facets bytea)}} WHERE true`

// AddBundles stores bundles.
func (t Tx) AddBundles(ctx context.Context, added []*Added) error {
	var projects, ids, lasts, counts, slots []int64
	var bodies, members, facets, filters [][]byte
	for _, a := range added {
		var used int64
		var list []byte
		for _, m := range a.Members {
			used |= 1 << m.Slot
			list = appendMember(list, a.ID, m)
		}
		projects, ids, lasts = append(projects, a.ProjectID), append(ids, a.ID), append(lasts, a.Members[len(a.Members)-1].ID)
		counts, slots = append(counts, int64(len(a.Members))), append(slots, used)
		bodies, members, facets, filters = append(bodies, a.Body), append(members, list), append(facets, a.Facets), append(filters, a.Filter)
	}
	if err := t.Later(ctx, insertBundles, ids, slots, bodies); err != nil {
		return fmt.Errorf("write bundles: %w", err)
	}
	if err := t.Later(ctx, insertBundleFacets, projects, ids, lasts, counts, slots, members, facets); err != nil {
		return fmt.Errorf("write facets of bundles: %w", err)
	}
	if err := t.Later(ctx, insertBundleFilters, projects, ids, filters); err != nil {
		return fmt.Errorf("write filters of bundles: %w", err)
	}
	return nil
}

const readBundles = `-- block.readBundles
SELECT b.id, b.slots, b.body, f.facets, coalesce(f.project_id, 0) FROM bundles b LEFT JOIN bundle_facets f ON f.bundle_id = b.id
WHERE b.id IN (SELECT k.id FROM {{rows k(id bigint)}}) ORDER BY b.id {{for update of b}}`

const updateBundles = `-- block.updateBundles
UPDATE bundles SET slots = k.slots, body = k.body FROM {{rows k(id bigint, slots bigint, body bytea)}} WHERE bundles.id = k.id`

const updateBundleFacets = `-- block.updateBundleFacets
UPDATE bundle_facets SET slots = k.slots, facets = k.facets, count = k.count
FROM {{rows k(id bigint, slots bigint, facets bytea, count bigint)}} WHERE bundle_facets.bundle_id = k.id`

const updateBundleFilters = `-- block.updateBundleFilters
UPDATE bundle_filters SET body = k.body FROM {{rows k(project_id bigint, id bigint, body bytea)}}
WHERE bundle_filters.project_id = k.project_id AND bundle_filters.bundle_id = k.id`

const deleteBundles = `-- block.deleteBundles
DELETE FROM bundles WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const deleteBundleFacets = `-- block.deleteBundleFacets
DELETE FROM bundle_facets WHERE bundle_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const deleteBundleFilters = `-- block.deleteBundleFilters
DELETE FROM bundle_filters WHERE (project_id, bundle_id) IN (SELECT k.project_id, k.id FROM {{rows k(project_id bigint, id bigint)}})`

// deleteBundles deletes bundles of some projects.
func (t Tx) deleteBundles(ctx context.Context, projects, ids []int64) error {
	return db.Wrap("delete bundles", errors.Join(
		t.Each(ctx, deleteBundles, ids), t.Each(ctx, deleteBundleFacets, ids), t.Each(ctx, deleteBundleFilters, projects, ids),
	))
}

// clearSlots removes deleted notices from their bundles: slots, as bits, by bundle id. It first calls show with the payloads of each bundle; unreadable
// bundles are skipped. It returns the bundles that are not there: their notices are in blocks.
func (t Tx) clearSlots(ctx context.Context, deleted map[int64]int64, show func(bundle int64, payloads [][]byte)) (missing map[int64]bool, err error) {
	var empty, emptyOf, ids, projects, slots, counts []int64
	var bodies, facets, filters [][]byte
	missing = map[int64]bool{}
	for id := range deleted {
		missing[id] = true
	}
	scan := func(rows *sql.Rows) error {
		var id, used, project int64
		var body, text []byte
		if err := rows.Scan(&id, &used, &body, &text, &project); err != nil {
			return err
		}
		delete(missing, id)
		if payloads, err := OpenBundle(body); err == nil {
			show(id, payloads)
		}
		if used &^= deleted[id]; used == 0 {
			empty, emptyOf = append(empty, id), append(emptyOf, project)
			return nil
		}
		left := onlySlots(text, used)
		ids, projects, slots, bodies = append(ids, id), append(projects, project), append(slots, used), append(bodies, onlySlots(body, used))
		facets, filters, counts = append(facets, left), append(filters, filterOf(left)), append(counts, int64(bits.OnesCount64(uint64(used))))
		return nil
	}
	if err := t.EachRow(ctx, readBundles, scan, slices.Sorted(maps.Keys(deleted))); err != nil {
		return nil, fmt.Errorf("read bundles: %w", err)
	}
	err = errors.Join(
		t.Each(ctx, updateBundles, ids, slots, bodies), t.Each(ctx, updateBundleFacets, ids, slots, facets, counts),
		t.Each(ctx, updateBundleFilters, projects, ids, filters), t.deleteBundles(ctx, emptyOf, empty),
	)
	return missing, db.Wrap("shorten bundles", err)
}

// looseBundle is a bundle that is not compacted yet.
type looseBundle struct {
	id, last, slots int64
	members         []Member
	facets, body    []byte
}

const looseFacets = `-- block.looseFacets
SELECT bundle_id, slots, members, facets FROM bundle_facets WHERE project_id = $1 ORDER BY bundle_id DESC`

// bundleReader is called with the notices of bundles.
type bundleReader struct {
	read   func(members []Member, facets [][]byte) error
	unread func(bundle int64, err error) error // instead, if one is damaged
}

// eachLoose reads the notices of a project that are in no block yet, newest bundle first.
func (s *Store) eachLoose(ctx context.Context, q db.Querier, projectID int64, r bundleReader) error {
	return s.eachBundle(ctx, q, r, looseFacets, projectID)
}

// eachBundle reads the notices of the bundles that a statement finds.
func (s *Store) eachBundle(ctx context.Context, q db.Querier, r bundleReader, statement string, args ...any) error {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, slots int64
		var list, text sql.RawBytes
		if err := rows.Scan(&id, &slots, &list, &text); err != nil {
			return err
		}
		members, err := readMembers(list, id, slots)
		if err != nil {
			return r.unread(id, err)
		}
		facets, err := OpenBundle(text)
		if err != nil {
			return r.unread(id, err)
		}
		return r.read(members, facets)
	})
}
