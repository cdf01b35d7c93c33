package faultdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
	"sett/internal/store/work"
)

// ChangesOfFaults is the kind of work that changes many faults of a project.
const ChangesOfFaults work.Kind = "change faults"

// lotsAtOnce is how many lots are done before the answer.
const lotsAtOnce = triage.MostBulkFaults / faultsInLot

// manyChange is what is done with many faults: a change by a user, what a deploy does, a merge, or an undo. Times are in µs.
type manyChange struct {
	UserID int64              `json:"user,omitempty"`
	At     int64              `json:"at,omitempty"`    // when it was asked for
	AsOf   int64              `json:"as_of,omitempty"` // of the choice
	Change *triage.BulkChange `json:"change,omitempty"`
	Deploy *faults.Deploy     `json:"deploy,omitempty"`

	Environment string `json:"environment,omitempty"` // that the deploy named

	Undo *undoing `json:"undo,omitempty"`

	Into int64 `json:"into,omitempty"` // the fault that they are merged into

	Announced []announcedFault `json:"announced,omitempty"` // what the next alert is about
	Count     int64            `json:"count,omitempty"`

	still Still // see Chosen; only before the answer
	late  bool  // after the answer
}

// announcedFault is a fault in an alert that is still to be raised.
type announcedFault struct {
	ID          int64  `json:"id"`
	Environment string `json:"environment"`
}

// mostAnnounced is how many faults one alert is about: as many as it can name.
const mostAnnounced = 1000

func (m *manyChange) at() time.Time { return db.FromMicros(m.At) }

func (m *manyChange) action() triage.BulkAction {
	if m.Change == nil {
		return ""
	}
	return triage.BulkAction(m.Change.Action.Value)
}

// inLot is how many faults one transaction changes.
func (m *manyChange) inLot() int {
	if m.Into != 0 || m.Undo != nil && m.Undo.Event == faults.MergedEvent {
		return mergesInLot
	}
	return faultsInLot
}

// unchangedSince returns the time since which faults must be unchanged; the zero time if that does not matter. What is done after the
// answer leaves what others have changed since.
func (m *manyChange) unchangedSince() time.Time {
	if m.late {
		return db.FromMicros(cmp.Or(m.AsOf, m.At))
	}
	return db.FromMicros(m.AsOf)
}

// occurredSince reports whether a fault that is to be resolved has occurred since the user asked for it. Had it been resolved at once, this
// notice would have reopened it.
func (m *manyChange) occurredSince(f changingFault) bool {
	return m.late && m.action() == triage.BulkResolve && f.lastNotice > m.At
}

// announce keeps faults for the alert. An alert of an assignment counts all of them, and names the first ones and every environment.
func (m *manyChange) announce(faults []faults.Fault) {
	m.Count += int64(len(faults))
	for _, f := range faults {
		known := func(a announcedFault) bool { return a.Environment == f.Environment }
		if m.action() == triage.BulkResolve || len(m.Announced) < mostAnnounced || !slices.ContainsFunc(m.Announced, known) {
			m.Announced = append(m.Announced, announcedFault{f.ID, f.Environment})
		}
	}
}

func (m *manyChange) announced(projectID int64) (found []faults.Fault) {
	for _, f := range m.Announced {
		found = append(found, faults.Fault{ID: f.ID, ProjectID: projectID, Environment: f.Environment})
	}
	return found
}

// changeMany changes faults of a project: a lot at once, more of them as work.
func (s *Store) changeMany(ctx context.Context, projectID int64, ids []int64, m manyChange) (done BulkOutcome, err error) {
	if len(ids) <= m.inLot() { // also none, so that it is refused if it must be
		err = s.inTx(ctx, "change faults", func(t Tx) error {
			own := m
			done, err = t.manyLot(ctx, projectID, ids, &own, true)
			return err
		})
		return done, err
	}
	var i work.Item
	err = s.inTx(ctx, "store faults to change", func(t Tx) error {
		i, err = t.addMany(ctx, projectID, ids, m)
		return err
	})
	if err != nil {
		return done, err
	}
	return s.beginMany(ctx, i, int64(len(ids)), m.still)
}

// addMany adds work that changes faults.
func (t Tx) addMany(ctx context.Context, projectID int64, ids []int64, m manyChange) (work.Item, error) {
	return t.work().Add(ctx, ChangesOfFaults, projectID, m, slices.Collect(slices.Chunk(ids, m.inLot()))...)
}

// beginMany does the first lots of a change of so many faults.
func (s *Store) beginMany(ctx context.Context, i work.Item, left int64, still Still) (done BulkOutcome, err error) {
	_, err = s.work.Begin(ctx, i, lotsAtOnce, func(ctx context.Context, i work.Item) error {
		for more := true; more; {
			var some BulkOutcome
			var n int64
			var err error
			more, err = s.work.NextLot(ctx, "change faults", i, func(t *db.Tx, l *work.Lot) error {
				n = int64(len(l.IDs))
				some, err = s.In(t).workLot(ctx, l, manyChange{still: still})
				return err
			})
			if err != nil {
				return err
			}
			done.add(some)
			left -= n
		}
		return nil
	})
	done.Changed, done.Waiting = done.Changed+left, left
	return done, err
}

// continueChange does the lots of a change that are left after the answer.
func (s *Store) continueChange(ctx context.Context, i work.Item) error {
	for more := true; more; {
		var err error
		more, err = s.work.NextLot(ctx, "change faults", i, func(t *db.Tx, l *work.Lot) error {
			_, err := s.In(t).workLot(ctx, l, manyChange{late: true})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// workLot does a lot, and notes how far the change is.
func (t Tx) workLot(ctx context.Context, l *work.Lot, m manyChange) (done BulkOutcome, err error) {
	if err := l.Read(&m); err != nil {
		return done, err
	}
	if done, err = t.manyLot(ctx, l.ProjectID, l.IDs, &m, l.Last); err != nil {
		return done, err
	}
	return done, l.Note(m)
}

// manyLot changes some faults, and raises the alert when it is complete.
func (t Tx) manyLot(ctx context.Context, projectID int64, ids []int64, m *manyChange, last bool) (done BulkOutcome, err error) {
	switch {
	case m.Deploy != nil:
		return t.deployLot(ctx, projectID, ids, m)
	case m.Undo != nil:
		return t.undoLot(ctx, projectID, ids, m)
	case m.Into != 0:
		return t.mergeLot(ctx, projectID, ids, m)
	}
	if done, err = t.changeLot(ctx, projectID, ids, m); err != nil {
		return done, err
	}
	switch action := m.action(); {
	case action == triage.BulkAssign && last:
		err = t.raiseAssigned(ctx, projectID, m)
	case action == triage.BulkResolve && (last || len(m.Announced) >= mostAnnounced):
		err = t.raiseResolved(ctx, m.at(), m.UserID, m.announced(projectID))
		m.Announced, m.Count = nil, 0
	}
	return done, err
}

// FaultsWaiting returns how many faults of a project are still to be changed in the background.
func (s *Store) FaultsWaiting(ctx context.Context, projectID int64) (int64, error) {
	return s.work.Waiting(ctx, projectID, ChangesOfFaults)
}
