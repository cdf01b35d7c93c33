package store

import (
	"context"
	"fmt"
	"slices"
)

const reviseStatusPage = `-- store.reviseStatusPages
UPDATE status_pages SET revision = revision + 1 WHERE number = $1`

// reviseStatusPages notes that what the pages with these numbers show has changed. Pages are always taken in the same
// order, and after the sites and check-ins that they show, so that nobody waits for another in a circle.
func (t *tx) reviseStatusPages(ctx context.Context, numbers ...int64) error {
	if len(numbers) == 0 {
		return nil
	}
	for _, number := range slices.Compact(slices.Sorted(slices.Values(numbers))) {
		if _, err := t.exec(ctx, reviseStatusPage, number); err != nil {
			return fmt.Errorf("revise status page: %w", err)
		}
	}
	t.wake(StatusChanged)
	return nil
}
