package intakedb

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/rollupdb"
)

// count hands over what the batch stored, and writes the counts that must not wait for it.
func (b *batch) count(ctx context.Context) error {
	refused := rollupdb.OutcomeCounts{} // no notice remains from which these could be counted again
	for i, r := range b.in.Reports {
		if o := b.receipts[i].Outcome; o != accounts.Stored {
			refused.Add(r.AccountID, r.ProjectID, b.now, o, 1)
		}
	}
	for _, r := range b.in.Refused {
		refused.Add(r.AccountID, r.ProjectID, b.now, r.Outcome, r.Count)
	}
	if err := refused.WriteRefused(ctx, b.t.Tx, b.node); err != nil {
		return err
	}
	b.counted = &rollupdb.Batch{Node: b.node, Holder: b.Holder, At: b.now, Last: b.last(), Exact: b.exact, Done: b.done}
	b.counted.Notices = make([]rollupdb.Notice, len(b.Live))
	for at, i := range b.Live {
		r := b.in.Reports[i]
		b.counted.Notices[at] = rollupdb.Notice{
			ID: b.Ids[i], Account: r.AccountID, Project: r.ProjectID, Environment: r.Environment, Fault: b.partOf(i), Token: r.Token, Facts: r.Facts,
		}
	}
	return b.S.rollups.CountWith(ctx, b.t.Tx, b.counted)
}

// last is the greatest id that the batch assigned, or 0.
func (b *batch) last() sett.NoticeID {
	if len(b.Ids) == 0 {
		return 0
	}
	return b.Ids[len(b.Ids)-1]
}

// done caches what the batch wrote; it is called once the batch is committed.
func (b *batch) done() {
	b.S.seen.add(b)
	b.S.said.add(b.now, b.again)
	if b.S.db.SQLite() {
		b.S.tokenFilter.Add(b.tokens()...)
	}
}

// Pending implements faultdb.Counter.
func (s *Store) Pending(token sett.UUID, projects ...int64) (id sett.NoticeID) {
	s.rollups.Settled()
	for _, project := range projects {
		if pending, ok := s.rollups.PendingToken(rollupdb.TokenKey{Project: project, Token: token}); ok {
			id = max(id, pending)
		}
	}
	return id
}

// Flush counts everything that is stored. It fails while a commit is in doubt: it is called until it succeeds, so that what was committed is
// counted even if no other batch follows.
func (s *Store) Flush(ctx context.Context) error {
	if err := s.leaveNoDoubt(ctx); err != nil {
		return err
	}
	return errors.Join(s.flushMessages(ctx), s.rollups.Flush(ctx))
}

// Settle is Flush, and saves how far everything is counted: then no notice would be read again after a crash.
func (s *Store) Settle(ctx context.Context) error {
	if err := s.leaveNoDoubt(ctx); err != nil {
		return err
	}
	return errors.Join(s.flushMessages(ctx), s.rollups.Settle(ctx))
}

// FlushDue counts what is due by age or size. It is called repeatedly while notices arrive.
func (s *Store) FlushDue(ctx context.Context, now time.Time) error {
	if s.said.due(now) {
		if err := s.flushMessages(ctx); err != nil {
			return err
		}
	}
	return s.rollups.FlushDue(ctx, now)
}

// Counted counts everything that is stored, and reports what rollupdb.Store.Counted does.
func (s *Store) Counted(ctx context.Context, now, before time.Time) (bool, error) {
	if err := s.Flush(ctx); err != nil {
		return false, err
	}
	return s.rollups.Counted(ctx, now, before)
}
