package watch

import (
	"context"
	"log/slog"
	"time"

	"sett/internal/base/loop"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// deletedEvery is the interval at which deletions of dead processes are picked up; new deletions wake the loop.
const deletedEvery = time.Minute

const (
	pausesEvery = 30 * time.Second

	// lateNotices is how long it may take until a notice is counted.
	lateNotices = 10 * time.Minute
)

// FaultOptions are what Faults work with.
type FaultOptions struct {
	DB     *db.DB
	Faults *faultdb.Store
	Now    func() time.Time
	Log    *slog.Logger
}

// Faults deletes faults that users have deleted, and ends pauses that wait for users or notices.
type Faults struct {
	FaultOptions
	looked time.Time // when EndPauses was called last
}

// NewFaults returns a Faults. It does nothing before its Loops run.
func NewFaults(o FaultOptions) *Faults { return &Faults{FaultOptions: o} }

// Loops returns the loops that delete faults, and that end their pauses.
func (f *Faults) Loops() []*loop.Loop {
	deleted, _ := f.DB.Sleep(faultdb.FaultsDeleted)
	return []*loop.Loop{{
		Name: "deleted errors", Does: "Deletes the data of errors that users have deleted, with their events and counts.",
		Every: deletedEvery, Jitter: 0.2, Wake: deleted, Log: f.Log, Work: f.Faults.SweepFaults,
	}, {
		Name: "pauses", Does: "Ends the pauses of errors that affect as many users, or have as many events, as the pauses wait for.",
		Every: pausesEvery, Jitter: 0.2, Log: f.Log, Work: f.endPauses,
	}}
}

// endPauses looks at all faults once, and then at those with new notices.
func (f *Faults) endPauses(ctx context.Context) (more bool, err error) {
	now, since := f.Now(), f.looked.Add(-lateNotices)
	if f.looked.IsZero() || now.Before(f.looked) { // the clock may have been ahead
		since = time.Time{}
	}
	if err = f.Faults.EndPauses(ctx, now, since); err == nil {
		f.looked = now
	}
	return false, err
}
