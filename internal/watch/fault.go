package watch

import (
	"log/slog"
	"time"

	"sett/internal/loop"
	"sett/internal/store/db"
	"sett/internal/store/fault"
)

// deletedEvery is the interval at which deletions of dead processes are picked up; new deletions wake the loop.
const deletedEvery = time.Minute

// FaultOptions are what Faults work with.
type FaultOptions struct {
	DB     *db.DB
	Faults *fault.Store
	Log    *slog.Logger
}

// Faults goes on with what people want to be done to many faults.
type Faults struct{ FaultOptions }

// NewFaults returns a Faults. It does nothing before its Loops run.
func NewFaults(o FaultOptions) *Faults { return &Faults{o} }

// Loops returns the loop that deletes faults.
func (f *Faults) Loops() []*loop.Loop {
	deleted, _ := f.DB.Sleep(fault.FaultsDeleted)
	return []*loop.Loop{{
		Name: "deleted faults", Does: "Deletes the data of errors that users have deleted, with their events and counts.",
		Every: deletedEvery, Jitter: 0.2, Wake: deleted, Log: f.Log, Work: f.Faults.SweepFaults,
	}}
}
