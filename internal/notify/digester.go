package notify

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
	"sett/internal/store/intakedb"
)

const (
	digestPoll    = time.Minute
	digestsAtOnce = 100
)

// Digester queues the mails with personal digests once their time has come: each once, however many nodes there are.
type Digester struct {
	Intake     *intakedb.Store
	Deliveries *deliverydb.Store
	Now        func() time.Time
	Log        *slog.Logger
}

// Loop returns the loop that looks for what is due. It may run once at a time.
func (d *Digester) Loop() *loop.Loop {
	return &loop.Loop{Name: "digests", Does: "Sends the daily and weekly digests of projects.", Every: digestPoll, Jitter: 0.2, Work: d.round, Log: d.Log}
}

// round queues all that is due, once all notices of its time are counted. What fails for one project is tried again in the
// next round, and holds up no other.
func (d *Digester) round(ctx context.Context) (more bool, err error) {
	now, after := d.Now(), alerts.DueDigest{}
	for {
		due, failed := d.Deliveries.DueDigests(ctx, now, after, digestsAtOnce)
		if failed != nil || len(due) == 0 {
			return false, errors.Join(err, failed)
		}
		if counted, failed := d.counted(ctx, now, due); failed != nil || !counted {
			return false, errors.Join(err, failed)
		}
		after = due[len(due)-1]
		err = errors.Join(err, d.queue(ctx, now, due))
	}
}

// counted reports whether all notices are counted that came before the digests end.
func (d *Digester) counted(ctx context.Context, now time.Time, due []alerts.DueDigest) (bool, error) {
	newest := due[0].To
	for _, one := range due {
		if one.To.After(newest) {
			newest = one.To
		}
	}
	return d.Intake.Counted(ctx, now, newest)
}

// digestKey identifies a digest that several users share.
type digestKey struct {
	project  int64
	from, to time.Time
}

func (d *Digester) queue(ctx context.Context, now time.Time, due []alerts.DueDigest) (err error) {
	known := map[digestKey]alerts.PersonalDigest{}
	for _, one := range due {
		about := digestKey{one.ProjectID, one.From(), one.To}
		digest, ok := known[about]
		if !ok {
			var failed error
			if digest, failed = d.Deliveries.ReadDigest(ctx, about.project, about.from, about.to); failed != nil {
				err = errors.Join(err, failed)
				continue
			}
			known[about] = digest
		}
		err = errors.Join(err, d.Deliveries.QueueDigest(ctx, now, one, digest))
	}
	return err
}
