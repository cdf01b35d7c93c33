package store

import (
	"context"
	"slices"
)

// StatusChanged is the topic of changes of what a status page shows, and of where status pages are found.
const StatusChanged Topic = "status changed"

const reviseStatusPages = `-- store.reviseStatusPages
UPDATE status_pages SET revision = revision + 1 WHERE number = $1`

// reviseStatusPages notes that what some pages show has changed, and wakes who draws them. Pages are taken in the order of
// their numbers, so that no two transactions wait for each other.
func (t *tx) reviseStatusPages(ctx context.Context, numbers ...int64) error {
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		if _, err := t.exec(ctx, reviseStatusPages, n); err != nil {
			return err
		}
	}
	if len(numbers) > 0 {
		t.wake(StatusChanged)
	}
	return nil
}
