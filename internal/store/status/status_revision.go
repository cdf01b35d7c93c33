package status

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

// pages returns the changes of a transaction.
func (t Tx) pages() *pageChanges {
	return t.Local(pageChangesKey{}, func() any { return new(pageChanges) }).(*pageChanges)
}

// ReviseStatusPages notes that the content of the pages with these numbers has changed. Pages are always locked in the same order, and
// after the sites and check-ins that they show, to avoid deadlocks.
func (t Tx) ReviseStatusPages(ctx context.Context, numbers ...int64) error {
	for _, number := range slices.Compact(slices.Sorted(slices.Values(numbers))) {
		if slices.Contains(t.pages().revised, number) {
			continue
		}
		if _, err := t.s.db.ListIDs(ctx, t, holdStatusPage, number); err != nil {
			return fmt.Errorf("hold status page: %w", err)
		}
		t.pages().revised = append(t.pages().revised, number)
	}
	return nil
}

const nextStatusRevision = `-- store.nextStatusRevision
UPDATE status_feed SET revision = revision + 1, removed = CASE WHEN $1 THEN revision + 1 ELSE removed END RETURNING revision`

const reviseStatusPages = `-- store.reviseStatusPages
UPDATE status_pages SET revision = k.revision FROM {{rows k(number bigint, revision bigint)}} WHERE status_pages.number = k.number`

// publishPages assigns the newest revision to the changed pages. It runs at the very end of a transaction, because a transaction that
// takes a revision blocks others from taking one until it commits. So no reader sees a revision without all earlier ones.
func (t Tx) publishPages(ctx context.Context) error {
	if len(t.pages().revised) == 0 && !t.pages().removed {
		return nil
	}
	var revision int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(nextStatusRevision), t.pages().removed).Scan(&revision); err != nil {
		return fmt.Errorf("take revision of status pages: %w", err)
	}
	t.Wake(StatusChanged)
	t.pages().revision = revision
	return db.Wrap("revise status pages", t.Each(ctx, reviseStatusPages, t.pages().revised, slices.Repeat([]int64{revision}, len(t.pages().revised))))
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
