package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/spool"
	"sett/internal/store/uptimedb"
)

// How a spool is emptied.
const (
	passAtOnce = 256 // entries
	mostTries  = 20  // with one that the database does not take, while it takes others
)

// Pass passes the first entries of the spool to the database, and reports whether it may go on with more at once. It is called every second.
func (s *Spool) Pass(ctx context.Context) (more bool) {
	s.passing.Lock()
	defer s.passing.Unlock()
	if err := s.File.Try(ctx); err != nil && ctx.Err() == nil {
		s.failing.note(s.Log, s.Now(), err)
	}
	if s.File.Size().Entries > 0 { // also those of a file that could not be read before
		s.holding.Store(true)
	}
	if !s.Holds() && s.File.Size().Entries == 0 || ctx.Err() != nil { // an entry may be added while end decides
		return false
	}
	more, err := s.passFirst(ctx)
	if ctx.Err() == nil {
		s.failing.note(s.Log, s.Now(), err)
	}
	return more && err == nil
}

func (s *Spool) passFirst(ctx context.Context) (more bool, err error) {
	first, err := s.File.First(ctx, passAtOnce)
	if err != nil {
		return false, err
	}
	if len(first) == 0 {
		return false, s.end(ctx)
	}
	return true, s.pass(ctx, first[:alike(first)])
}

// alike returns how many of the first entries are stored together: of one kind, and received in the same minute, by which notices are limited.
func alike(entries []spool.Entry) int {
	minute := entries[0].At.Truncate(time.Minute)
	for i, e := range entries {
		if e.Kind != entries[0].Kind || e.Kind == spool.Deploy && i > 0 || !e.At.Truncate(time.Minute).Equal(minute) {
			return i
		}
	}
	return len(entries)
}

// end makes reports go to the database again, if it takes any.
func (s *Spool) end(ctx context.Context) error {
	if err := s.Main.TryWrite(ctx, s.Now()); err != nil {
		return err
	}
	if err := s.Intake.Leave(ctx); err != nil {
		return err
	}
	if s.File.Size().Entries == 0 && s.holding.Swap(false) {
		s.Log.Info("the database responds again, and the spool is empty", "reports", s.stored.Load(), "lost", s.lost.Load())
	}
	return nil
}

// pass stores entries that are alike. If they fail for a reason that waiting would not fix, they are halved, so that one that cannot be
// stored does not affect the others; that one is dropped at last.
func (s *Spool) pass(ctx context.Context, entries []spool.Entry) error {
	err := s.store(ctx, entries)
	if err != nil && sett.CodeOf(err) != sett.Unavailable && ctx.Err() == nil {
		if half := len(entries) / 2; half > 0 {
			return s.pass(ctx, entries[:half]) // the rest comes in the next round
		}
		if s.tries++; s.tries >= mostTries {
			s.Log.Error("a report from the spool cannot be stored, so it is lost", "at", entries[0].At, "error", err, "hint", "this is a bug in sett: report it with this line")
			s.lost.Add(1)
			err = nil
		}
	}
	if err != nil {
		return err
	}
	s.tries = 0
	if err := s.File.Drop(ctx, entries); err != nil {
		return err
	}
	s.stored.Add(int64(len(entries)))
	return nil
}

func (s *Spool) store(ctx context.Context, entries []spool.Entry) error {
	switch entries[0].Kind {
	case spool.Notice:
		return s.storeNotices(ctx, entries)
	case spool.Ping:
		return s.storePings(ctx, entries)
	case spool.Deploy:
		return s.storeDeploy(ctx, entries[0])
	}
	return fmt.Errorf("a spool has an entry of the unknown kind %d", entries[0].Kind)
}

func (s *Spool) storeNotices(ctx context.Context, entries []spool.Entry) error {
	var notices []*spooledNotice
	for _, e := range entries {
		n, err := readNotice(e)
		if err != nil {
			return err
		}
		notices = append(notices, n)
	}
	reports, err := s.notStored(ctx, notices)
	if err != nil {
		return err
	}
	if len(reports) == 0 { // all are committed, but perhaps not on the standby: what is committed now waits for them too
		return s.Main.TryWrite(ctx, s.Now())
	}
	packing := &batch{packers: s.packers, next: map[int64]*gathered{}}
	for _, r := range reports {
		packing.add(&waiting{report: r})
	}
	all := packing.packed()
	receipts, err := s.Intake.RecordNotices(ctx, reports[len(reports)-1].ReceivedAt, s.Limits, intake(all, nil))
	if err != nil {
		return err
	}
	s.count(written{batch: all, receipts: receipts})
	return errors.Join(s.Intake.Sync(), s.Intake.FlushDue(ctx, s.Now()))
}

// notStored returns the reports that no commit has stored.
func (s *Spool) notStored(ctx context.Context, all []*spooledNotice) (reports []*faults.Report, err error) {
	tried := map[string][]sett.NoticeID{}
	for _, n := range all {
		if n.Tried != 0 {
			tried[n.Transaction] = append(tried[n.Transaction], n.Tried)
		}
	}
	stored := map[sett.NoticeID]bool{}
	for transaction, ids := range tried {
		of, err := s.Main.Fate(ctx, transaction, ids)
		if err != nil {
			return nil, err
		}
		for id := range of {
			stored[id] = true
		}
	}
	for _, n := range all {
		if n.Tried == 0 || !stored[n.Tried] {
			reports = append(reports, &n.Report)
		}
	}
	return reports, nil
}

func (s *Spool) storePings(ctx context.Context, entries []spool.Entry) error {
	var pings []uptimedb.PingReport
	for _, e := range entries {
		var p uptimedb.PingReport
		if err := decodeEntry(e, &p); err != nil {
			return err
		}
		pings = append(pings, p)
	}
	_, err := s.Pings.RecordPings(ctx, pings) // one that no check-in has was answered already
	return err
}

func (s *Spool) storeDeploy(ctx context.Context, e spool.Entry) error {
	var d faults.Deploy
	if err := decodeEntry(e, &d); err != nil {
		return err
	}
	if has, err := s.Faults.HasDeploy(ctx, d.ProjectID, d); err != nil || has {
		return err
	}
	_, err := s.Faults.RecordDeploy(ctx, e.At, d.ProjectID, d)
	if sett.CodeOf(err) == sett.NotFound { // the project was deleted
		return nil
	}
	return err
}
