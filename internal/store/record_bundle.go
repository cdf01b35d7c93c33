package store

import (
	"context"
	"fmt"
)

// writeBundles stores the bundles of what is stored, and returns their ids.
func (b *batch) writeBundles(ctx context.Context) (map[*bundle]int64, error) {
	of := map[*bundle]int{} // its place in the columns
	var ids, slots []int64
	var bodies [][]byte
	for _, i := range b.live {
		r := b.in.Reports[i]
		at, known := of[r.bundle]
		if !known {
			at = len(ids)
			of[r.bundle] = at
			ids, slots, bodies = append(ids, int64(b.ids[i])), append(slots, 0), append(bodies, r.bundle.body)
		}
		slots[at] |= 1 << r.slot
	}
	if err := b.t.Each(ctx, insertBundles, ids, slots, bodies); err != nil {
		return nil, fmt.Errorf("write bundles: %w", err)
	}
	written := make(map[*bundle]int64, len(of))
	for bundle, at := range of {
		written[bundle] = ids[at]
	}
	return written, nil
}
