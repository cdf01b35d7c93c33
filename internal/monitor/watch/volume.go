package watch

import (
	"context"
	"log/slog"
	"time"

	"sett/internal/base/loop"
	"sett/internal/store/intakedb"
)

const (
	ratesEvery  = 5 * time.Second
	spikesEvery = time.Minute
)

// VolumeOptions are what Volumes work with.
type VolumeOptions struct {
	Intake *intakedb.Store
	Now    func() time.Time
	Log    *slog.Logger
}

// Volumes finds faults that occur more often than people allow, or than usual.
type Volumes struct{ VolumeOptions }

// NewVolumes returns a Volumes. It does nothing before its Loops run.
func NewVolumes(o VolumeOptions) *Volumes { return &Volumes{o} }

// Loops returns the loops that look for exceeded rates and for spikes.
func (v *Volumes) Loops() []*loop.Loop {
	return []*loop.Loop{
		{Name: "rates", Does: "Finds errors that happen more often than the threshold of a channel.", Every: ratesEvery, Log: v.Log, Work: v.rates},
		{Name: "volume spikes", Does: "Finds errors that happen much more often than usual.", Every: spikesEvery, Log: v.Log, Work: v.spikes},
	}
}

func (v *Volumes) rates(ctx context.Context) (more bool, err error) {
	_, err = v.Intake.RaiseRates(ctx, v.Now())
	return false, err
}

func (v *Volumes) spikes(ctx context.Context) (more bool, err error) {
	_, err = v.Intake.RaiseSpikes(ctx, v.Now())
	return false, err
}
