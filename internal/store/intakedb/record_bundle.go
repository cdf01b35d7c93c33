package intakedb

import (
	"context"

	"sett/internal/store/block"
)

// writeBundles stores the bundles of the notices that are stored, and returns their ids.
func (b *batch) writeBundles(ctx context.Context) (written map[*block.Bundle]int64, err error) {
	of := map[*block.Bundle]*block.Added{}
	var all []*block.Added
	for _, i := range b.Live {
		r := b.in.Reports[i]
		a := of[r.Bundle]
		if a == nil {
			a = &block.Added{Bundle: r.Bundle, ID: int64(b.Ids[i]), ProjectID: r.ProjectID}
			of[r.Bundle], all = a, append(all, a)
		}
		a.Members = append(a.Members, block.Member{Slot: r.Slot, ID: int64(b.Ids[i]), Fault: b.partOf(i)})
	}
	if err := b.t.block().AddBundles(ctx, all); err != nil {
		return nil, err
	}
	written = make(map[*block.Bundle]int64, len(of))
	for bundle, a := range of {
		written[bundle] = a.ID
	}
	return written, nil
}
