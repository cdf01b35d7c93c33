package statusdb

import (
	"context"
	"fmt"
	"slices"

	"sett/internal/store/db"
)

// pageChanges holds the status pages whose content a transaction has changed.
type pageChanges struct {
	revised []int64 // locked
	removed bool    // a page was deleted

	revision int64 // their new revision; 0: none yet
}

type pageChangesKey struct{}

// pages returns the changes of a transaction, to note one more.
func (t Tx) pages() *pageChanges {
	if changes := changesOf(t.Tx); changes != nil {
		return changes
	}
	changes := &pageChanges{}
	t.SetLocal(pageChangesKey{}, changes)
	return changes
}

// changesOf returns the changes of a transaction; nil if it has changed no page, as most do.
func changesOf(t *db.Tx) *pageChanges {
	changes, _ := t.Local(pageChangesKey{}).(*pageChanges)
	return changes
}

// BumpPageRevisions notes that the content of the pages with these numbers has changed. Pages are always locked in the same order, and
// after the sites and check-ins that they show, to avoid deadlocks.
func (t Tx) BumpPageRevisions(ctx context.Context, numbers ...int64) error {
	for _, number := range slices.Compact(slices.Sorted(slices.Values(numbers))) {
		changes := t.pages()
		if slices.Contains(changes.revised, number) {
			continue
		}
		if _, err := t.s.db.ListIDs(ctx, t, holdStatusPage, number); err != nil {
			return fmt.Errorf("hold status page: %w", err)
		}
		changes.revised = append(changes.revised, number)
	}
	return nil
}

// NextRevision takes a revision of status pages. Its parameter says whether pages are gone.
const NextRevision = `-- statusdb.NextRevision
UPDATE status_feed SET revision = revision + 1, removed = CASE WHEN $1 THEN revision + 1 ELSE removed END RETURNING revision`

const bumpPageRevisions = `-- statusdb.bumpPageRevisions
UPDATE status_pages SET revision = k.revision FROM {{rows k(number bigint, revision bigint)}} WHERE status_pages.number = k.number`

// publishPages assigns the newest revision to the changed pages. It runs at the very end of a transaction, because a transaction that
// takes a revision blocks others from taking one until it commits. So no reader sees a revision without all earlier ones.
func (t Tx) publishPages(ctx context.Context) error {
	changes := changesOf(t.Tx)
	if changes == nil {
		return nil
	}
	var revision int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(NextRevision), changes.removed).Scan(&revision); err != nil {
		return fmt.Errorf("take revision of status pages: %w", err)
	}
	t.Wake(StatusChanged)
	changes.revision = revision
	return db.Wrap("revise status pages", t.Each(ctx, bumpPageRevisions, changes.revised, slices.Repeat([]int64{revision}, len(changes.revised))))
}

// StatusMayHaveChanged reports whether the content of status pages may be newer than a revision. On SQLite it knows the commits of this
// process; on PostgreSQL other nodes may have changed it at any time.
func (s *Store) StatusMayHaveChanged(since int64) bool {
	return !s.db.SQLite() || s.statusRevision.Load() > since
}

// noteStatusRevision records that a revision is committed.
func (s *Store) noteStatusRevision(revision int64) {
	for {
		last := s.statusRevision.Load()
		if revision <= last || s.statusRevision.CompareAndSwap(last, revision) {
			return
		}
	}
}
