package rollupdb

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Everything that is only derived from notices – every count, the list of notices of a fault – follows them. A committed batch hands over its
// notices, which are summed in memory (Hand) and flushed to the tables from time to time, so that a row or page that many notices change is
// written once for all of them. Under light load a batch is flushed before it is answered, and readers see no difference.
//
// This cannot lose or double a count. A flush writes, in its own transaction, how far it got (table digests). When a process dies, counting
// goes on from there (CatchUp): whatever lies beyond that is summed again from the notices themselves, by the next process on SQLite, by any
// node on PostgreSQL.
//
// Each kind of rollup is divided into parts, with one rollup per part. They are flushed one after another, so that no flush blocks intake
// for long: an SQLite file has one writer at a time.

// rollupKind is a set of rollup tables that are flushed together.
type rollupKind struct {
	parts int               // the number of parts that its rows are divided into; to change it, migrate table digests
	part  func(*Notice) int // the part that a notice belongs to, before it is taken modulo parts
	most  int               // notices summed in memory, in all parts together, that make a flush due
	Wait  time.Duration     // from the first of them until a flush is due
	fresh func() sum
}

// The kinds of rollups. What lists show may lag only a little; what is spread all over its tables may lag more. Tokens lag on SQLite
// only: on PostgreSQL other nodes must see a token at once.
const (
	projectRollup = iota
	faultRollup
	classRollup
	locationRollup
	userNameRollup
	userRollup
	TokenRollup
	releaseRollup
	numRollups
)

var rollupKinds = [numRollups]rollupKind{
	projectRollup:  {1, byProject, 20_000, time.Second, newProjectCounts},
	faultRollup:    {4, byFault, 32_000, 1800 * time.Millisecond, newFaultSums},
	classRollup:    {2, byProject, 40_000, 5 * time.Second, newClassCounts},
	locationRollup: {1, byProject, 40_000, 5 * time.Second, newLocationCounts},
	userNameRollup: {8, byProject, 120_000, 10 * time.Second, newUserCounts},
	userRollup:     {8, byFault, 120_000, 10 * time.Second, newUsers},
	TokenRollup:    {8, byToken, 120_000, 10 * time.Second, newTokens},
	releaseRollup:  {1, byProject, 40_000, 2 * time.Second, newReleaseCounts},
}

// The partition functions keep together what lies together in the tables, so that a flush writes few pages.

func byProject(n *Notice) int { return int(n.Project) }

func byFault(n *Notice) int { return int(n.Fault >> 6) }

func byToken(n *Notice) int { return int(n.Token[0] >> 5) }

// rollup holds what stored notices add to some rows and has not been written to them yet.
type rollup struct {
	ID   int64 // in table digests
	kind int
	most int
	wait time.Duration

	fresh func() sum

	sum   sum // of the notices since the last flush started
	N     int // how many these are
	since time.Time
	upto  sett.NoticeID // the rows and sums together hold every notice of this node up to this one
	saved sett.NoticeID // the position that table digests has at least

	flushing     sum // what the last flush is writing, or failed to write; nil once it is written
	flushingN    int // how many notices that are
	flushingUpto sett.NoticeID
}

// divide divides the kinds into their parts. PostgreSQL needs no division: there a flush blocks nothing else.
func (s *Store) divide() {
	for kind, k := range rollupKinds {
		if !s.db.SQLite() {
			k.parts = 1
		}
		for part := range k.parts {
			one := &rollup{kind: kind, ID: rollupID(kind, part), most: k.most / k.parts, wait: k.Wait, fresh: k.fresh}
			one.reset()
			s.each, s.kinds[kind] = append(s.each, one), append(s.kinds[kind], one)
		}
	}
}

// rollupID is the id in table digests of a part of a kind. Where a kind is not divided, its only part is the first.
func rollupID(kind, part int) int64 { return int64(100*kind + part) }

func (d *rollup) reset() { d.sum, d.N, d.since = d.fresh(), 0, time.Time{} }

// of returns the rollups that a notice belongs to, by their kind.
func (s *Store) of(n *Notice) (all [numRollups]*rollup) {
	for kind, parts := range s.kinds {
		all[kind] = parts[rollupKinds[kind].part(n)%len(parts)]
	}
	return all
}

// due reports whether it is time to flush what is pending.
func (d *rollup) due(now time.Time) bool {
	return d.N >= d.most || d.N > 0 && now.Sub(d.since) >= d.wait
}

// StoredAtOnce reports whether the rollup's rows are always written in the transaction that stores the notices.
func (d *rollup) StoredAtOnce(s *Store) bool {
	return d.kind == TokenRollup && !s.db.SQLite()
}

// isCountedWith reports whether the rollup is written in the transaction of the batch: else other nodes would not see near a limit what
// this one stores. All else would make them wait for the batch, as they count in the same rows.
func (d *rollup) isCountedWith(s *Store, b *Batch) bool {
	return d.kind == projectRollup && b.Exact || d.StoredAtOnce(s)
}

// CountWith writes, in the transaction of a batch, the rollups that are counted with it; these are not divided.
func (s *Store) CountWith(ctx context.Context, t *db.Tx, b *Batch) error {
	var all []step
	for _, d := range s.each {
		if len(b.Notices) == 0 || !d.isCountedWith(s, b) {
			continue
		}
		counted := d.fresh()
		for i := range b.Notices {
			counted.add(&b.Notices[i])
		}
		if d.StoredAtOnce(s) {
			if err := counted.write(ctx, s.in(t)); err != nil {
				return err
			}
			continue
		}
		all = append(all, step{d, counted, b.Last})
	}
	return s.in(t).flush(ctx, b.Node, all)
}

// PendingProjects returns how many stored notices the counts of projects still lack.
func (s *Store) PendingProjects() int { return s.pending(projectRollup) }

// pending returns how many stored notices a kind of rollup still has to write.
func (s *Store) pending(kind int) (n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, part := range s.kinds[kind] {
		if n += part.N; part.flushing != nil {
			n += part.flushingN
		}
	}
	return n
}

// some reports whether some rollup is as f says.
func (s *Store) some(f func(*rollup) bool) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.ContainsFunc(s.each, f)
}

// Hand hands over a committed batch. The next flush notes its effects while clients get their answers; if there is none, the next batch does.
func (s *Store) Hand(b *Batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handed = append(s.handed, b)
}

// Settled notes the effects of all committed batches. If this node has lost the number that a batch was stored under, the node that took it
// for dead counts the batch.
func (s *Store) Settled() {
	s.node.WithHolder(func(holder string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, b := range s.handed {
			b.Done()
			if b.Holder == holder {
				s.sum(b)
			}
		}
		s.handed = nil
	})
}

// sum adds the notices of a batch to the rollups that were not counted with it.
func (s *Store) sum(b *Batch) {
	for _, part := range s.each {
		if part.isCountedWith(s, b) {
			part.upto = max(part.upto, b.Last)
		}
	}
	for i := range b.Notices {
		s.add(&b.Notices[i], b.At)
	}
	s.reach(b.Last)
	s.summed += len(b.Notices)
}

// add adds a notice to the rollups that lack it, and reports whether any does. Notices come in the order of their ids.
func (s *Store) add(n *Notice, now time.Time) (lacked bool) {
	for _, part := range s.of(n) {
		if n.ID <= part.upto {
			continue
		}
		if part.N == 0 {
			part.since = now
		}
		part.sum.add(n)
		part.N++
		lacked = true
	}
	return lacked
}

// reach notes that no notice up to this one is lacked.
func (s *Store) reach(last sett.NoticeID) {
	for _, part := range s.each {
		part.upto = max(part.upto, last)
	}
}
