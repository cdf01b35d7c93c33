package accountdb

import (
	"context"
	"testing"
)

// Intake and background work carry no entry, and pay nothing for those who do.
func TestWithoutAnEntryNothingIsAllocated(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	none := Tx{}
	allocated := testing.AllocsPerRun(100, func() {
		a := pendingAudit(ctx)
		if err := none.storeAudit(ctx, a); err != nil {
			t.Error(err)
		}
		a.settle()
	})
	if allocated != 0 {
		t.Errorf("%v allocations", allocated)
	}
}
