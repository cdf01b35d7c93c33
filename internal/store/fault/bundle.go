package fault

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Bundle holds the payloads of a few successive reports. Compressed together they take a third less space and half the time, because most
// notices resemble their neighbours. A bundle is a row of table bundles; its id is that of its first notice. A notice stores the slot of
// its payload.
//
// Its body is compressed: the payloads one after another, their lengths (four bytes each, little endian), and their number (one byte).
// Length 0 is the payload of a deleted notice.
type Bundle struct{ Body []byte }

// The limits of a bundle: to read one notice, all of them have to be decompressed.
const (
	MostInBundle      = 32        // reports
	MostBytesInBundle = 256 << 10 // of their bodies; a larger report gets a bundle of its own
)

// fewTogether is how many payloads are too few to compress well without the dictionary.
const fewTogether = 2

// appendBundle appends the body of a bundle of n payloads, which are followed by their lengths.
func appendBundle(b, payloads []byte, n int) []byte {
	version := byte(compressedTogether)
	if n <= fewTogether {
		version = CompressedAlone
	}
	return AppendCompressed(b, payloads, version)
}

func appendLengths(payloads []byte, lengths []int) []byte {
	for _, l := range lengths {
		payloads = binary.LittleEndian.AppendUint32(payloads, uint32(l))
	}
	return append(payloads, byte(len(lengths)))
}

var ErrBundle = errors.New("a stored bundle is cut off")

// OpenBundle returns the payloads of a bundle by their slots.
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

// payloadAt returns the payload in one slot of a bundle.
func payloadAt(body []byte, slot int) ([]byte, error) {
	payloads, err := OpenBundle(body)
	if err != nil {
		return nil, err
	}
	if slot < 0 || slot >= len(payloads) {
		return nil, ErrBundle
	}
	return payloads[slot], nil
}

const InsertBundles = `-- store.insertBundles
INSERT INTO bundles (id, slots, body) SELECT k.id, k.slots, k.body FROM {{rows k(id bigint, slots bigint, body bytea)}} WHERE true`

const readBundles = `-- store.readBundles
SELECT b.id, b.slots, b.body FROM bundles b WHERE b.id IN (SELECT k.id FROM {{rows k(id bigint)}}) ORDER BY b.id {{for update}}`

const updateBundles = `-- store.updateBundles
UPDATE bundles SET slots = k.slots, body = k.body FROM {{rows k(id bigint, slots bigint, body bytea)}} WHERE bundles.id = k.id`

const deleteBundles = `-- store.deleteBundles
DELETE FROM bundles WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// clearSlots removes the payloads of deleted notices from their bundles: slots, as bits, by bundle id.
func (t Tx) clearSlots(ctx context.Context, deleted map[int64]int64) error {
	return t.ClearSlotsOf(ctx, deleted, nil)
}

// ClearSlotsOf is clearSlots, but first calls show with the payloads of each bundle; unreadable bundles are skipped.
func (t Tx) ClearSlotsOf(ctx context.Context, deleted map[int64]int64, show func(bundle int64, payloads [][]byte)) error {
	var empty, ids, slots []int64
	var bodies [][]byte
	scan := func(rows *sql.Rows) error {
		var id, used int64
		var body []byte
		if err := rows.Scan(&id, &used, &body); err != nil {
			return err
		}
		if show != nil {
			if payloads, err := OpenBundle(body); err == nil {
				show(id, payloads)
			}
		}
		if used &^= deleted[id]; used == 0 {
			empty = append(empty, id)
			return nil
		}
		ids, slots, bodies = append(ids, id), append(slots, used), append(bodies, onlySlots(body, used))
		return nil
	}
	if err := t.EachRow(ctx, readBundles, scan, slices.Sorted(maps.Keys(deleted))); err != nil {
		return fmt.Errorf("read bundles: %w", err)
	}
	if err := t.Each(ctx, updateBundles, ids, slots, bodies); err != nil {
		return fmt.Errorf("shorten bundles: %w", err)
	}
	return t.Each(ctx, deleteBundles, empty)
}

// onlySlots returns the body of a bundle with only the payloads in the given slots. An unreadable body, which nothing can show, is
// returned unchanged.
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
	return appendBundle(nil, appendLengths(kept, lengths), n)
}
