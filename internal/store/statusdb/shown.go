package statusdb

import (
	"context"
	"slices"

	"sett/internal/store/db"
)

const HoldShownSite = `-- statusdb.holdShownSite
SELECT id FROM sites WHERE id = $1 {{for update}}`

const PagesOfSite = `-- statusdb.pagesOfSite
SELECT page FROM status_components WHERE site_id = $1`

const HoldShownCheckIn = `-- statusdb.holdShownCheckIn
SELECT number FROM check_ins WHERE project_id = $1 AND id = $2 {{for update}}`

const PagesOfCheckIn = `-- statusdb.pagesOfCheckIn
SELECT s.page FROM check_ins c JOIN status_components s ON s.check_in = c.number WHERE c.project_id = $1 AND c.id = $2`

const PagesOfCheckIns = `-- statusdb.pagesOfCheckIns
SELECT DISTINCT s.page FROM check_ins c JOIN status_components s ON s.check_in = c.number WHERE c.project_id = $1`

// ShownBy returns the numbers of the status pages that a statement finds. Before you delete what they show, call it, because the
// components by which the pages are found are deleted too; and lock what you delete first, so that no other page starts to show it.
func (t Tx) ShownBy(ctx context.Context, statement string, args ...any) ([]int64, error) {
	pages, err := t.s.db.ListIDs(ctx, t, statement, args...)
	return pages, db.Wrap("find status pages", err)
}

// HoldShown locks a site or check-in, which a page may show, until the transaction ends.
func (t Tx) HoldShown(ctx context.Context, statement string, args ...any) error {
	_, err := t.s.db.ListIDs(ctx, t, statement, args...)
	return db.Wrap("hold what status pages show", err)
}

// HoldPages locks status pages against changes. Lock them before you delete what they show: a transaction that changes a page locks the
// page first, and then its components.
func (t Tx) HoldPages(ctx context.Context, numbers []int64) error {
	for _, number := range slices.Compact(slices.Sorted(slices.Values(numbers))) {
		if _, err := t.s.db.ListIDs(ctx, t, holdStatusPage, number); err != nil {
			return db.Wrap("hold status page", err)
		}
	}
	return nil
}

// BumpShowing bumps the revisions of the status pages that a statement finds.
func (t Tx) BumpShowing(ctx context.Context, statement string, args ...any) error {
	pages, err := t.ShownBy(ctx, statement, args...)
	if err != nil {
		return err
	}
	return t.BumpPageRevisions(ctx, pages...)
}
