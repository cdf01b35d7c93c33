package watch

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
	"sett/internal/store/uptimedb"
)

// The recorder's bounds.
const (
	mostFound      = 16 << 10               // reports that wait; then the oldest go
	mostAtOnce     = 256                    // reports in one transaction
	gather         = 200 * time.Millisecond // for which reports wait for others
	recordPatience = 30 * time.Second
	triesTogether  = 3 // of a batch that the database refuses; then its reports are stored one by one
)

// recorder stores what the server's own location finds, many reports in one transaction. While the database is away it
// keeps what there is room for. A report that the database never takes is lost, and keeps no other waiting.
type recorder struct {
	db     *db.DB
	uptime *uptimedb.Store
	now    func() time.Time
	log    *slog.Logger
	lost   atomic.Int64             // reports
	found  chan *checks.CheckReport // pointers: the room for those that wait is made at the start
}

func newRecorder(d *db.DB, s *uptimedb.Store, now func() time.Time, log *slog.Logger) *recorder {
	return &recorder{db: d, uptime: s, now: now, log: log, found: make(chan *checks.CheckReport, mostFound)}
}

// take never waits: a check must not, however long the database takes.
func (r *recorder) take(report checks.CheckReport) {
	for {
		select {
		case r.found <- &report:
			return
		default:
		}
		select {
		case <-r.found:
			r.lost.Add(1)
		default:
		}
	}
}

// run stores batch after batch until ctx ends and nothing is left, or the database is away.
func (r *recorder) run(ctx context.Context) {
	var batch []checks.CheckReport
	refusals := 0 // of batch
	for retry := time.Duration(0); ctx.Err() == nil; {
		if len(batch) == 0 {
			batch = r.next(ctx)
		}
		err := r.record(batch)
		if err != nil && !r.isAway(err) {
			if refusals++; refusals >= triesTogether {
				err = r.salvage(batch)
			}
		}
		if err != nil {
			if retry = min(max(2*retry, time.Second), 10*time.Second); retry == time.Second {
				r.log.Error("results of site checks cannot be stored and are retried", "checks", len(batch), "error", err, "hint", "check the database and the disk with: sett doctor")
			}
			pause(ctx, retry)
			continue
		}
		batch, retry, refusals = nil, 0, 0
	}
	for batch = r.rest(batch); len(batch) > 0; batch = r.rest(nil) {
		err := r.record(batch)
		if err != nil && !r.isAway(err) {
			err = r.salvage(batch)
		}
		if err != nil {
			r.lost.Add(int64(len(batch) + len(r.found)))
			r.log.Error("results of site checks were lost, because the server stops", "checks", len(batch)+len(r.found), "error", err, "hint", "check the database and the disk with: sett doctor")
			return
		}
	}
}

// next waits for a report and returns it with those that come soon after.
func (r *recorder) next(ctx context.Context) (batch []checks.CheckReport) {
	select {
	case first := <-r.found:
		batch = append(batch, *first)
	case <-ctx.Done():
		return nil
	}
	full := time.After(gather)
	for len(batch) < mostAtOnce {
		select {
		case report := <-r.found:
			batch = append(batch, *report)
		case <-full:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// rest adds what is found already.
func (r *recorder) rest(batch []checks.CheckReport) []checks.CheckReport {
	for len(batch) < mostAtOnce {
		select {
		case report := <-r.found:
			batch = append(batch, *report)
		default:
			return batch
		}
	}
	return batch
}

// isAway reports whether an error says that the database did not answer or has no room, rather than what it thinks of a
// batch.
func (r *recorder) isAway(err error) bool {
	return sett.CodeOf(r.db.Explain(err)) == sett.Unavailable
}

// salvage stores the reports of a batch that is not taken one by one, and leaves out those that are not taken even so.
// After an error it may be called again: no report is stored twice.
func (r *recorder) salvage(batch []checks.CheckReport) error {
	lost := 0
	var why error
	for i := range batch {
		err := r.record(batch[i : i+1])
		if err != nil && r.isAway(err) {
			return err
		}
		if err != nil {
			lost, why = lost+1, fmt.Errorf("site %s: %w", batch[i].SiteID, err)
		}
	}
	r.lost.Add(int64(lost))
	if lost > 0 {
		r.log.Error("results of site checks cannot be stored, so they are lost", "lost", lost, "checks", len(batch), "error", why, "hint", "this is a bug in sett: report it with this line")
	}
	return nil
}

func (r *recorder) record(batch []checks.CheckReport) error {
	ctx, cancel := context.WithTimeout(context.Background(), recordPatience)
	defer cancel()
	events, err := r.uptime.RecordChecks(ctx, r.now(), batch)
	logEvents(r.log, events)
	return err
}

// siteNews are the sentences about what happened to a site.
var siteNews = map[checks.SiteEventKind]string{
	checks.SiteWentDown: "a site went down", checks.SiteCameUp: "a site is up again", checks.SiteLapsed: "a site that was down is not checked any more",
	checks.CertWillExpire: "the certificate of a site expires soon", checks.SiteBecameSlow: "a site is slow", checks.SiteBecameFast: "a site is fast again",
	checks.SiteSlowEnded: "a site was slow, and it is not known whether it still is",
}

// logEvents logs the state changes that checks caused.
func logEvents(log *slog.Logger, events []checks.SiteEvent) {
	for _, e := range events {
		if e.Kind != checks.SiteAsked {
			log.Info(siteNews[e.Kind], "site", e.SiteName, "site_id", e.SiteID, "project_id", e.ProjectID, "at", e.At)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
