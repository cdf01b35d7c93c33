package intake

import (
	"context"
	"fmt"

	"sett/internal/store/fault"
)

// writeBundles stores the bundles of the notices that are stored, and returns their ids.
func (b *batch) writeBundles(ctx context.Context) (map[*fault.Bundle]int64, error) {
	of := map[*fault.Bundle]int{} // the index in the columns
	var ids, slots []int64
	var bodies [][]byte
	for _, i := range b.Live {
		r := b.in.Reports[i]
		at, known := of[r.Bundle]
		if !known {
			at = len(ids)
			of[r.Bundle] = at
			ids, slots, bodies = append(ids, int64(b.Ids[i])), append(slots, 0), append(bodies, r.Bundle.Body)
		}
		slots[at] |= 1 << r.Slot
	}
	if err := b.t.Each(ctx, fault.InsertBundles, ids, slots, bodies); err != nil {
		return nil, fmt.Errorf("write bundles: %w", err)
	}
	written := make(map[*fault.Bundle]int64, len(of))
	for bundle, at := range of {
		written[bundle] = ids[at]
	}
	return written, nil
}
