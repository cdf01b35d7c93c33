package store

import (
	"context"
	"errors"
	"testing"

	"sett/internal/sett"
	"sett/internal/store/status"
	"sett/internal/store/uptime"
)

// Whoever deletes what a status page shows and whoever writes of it on that page never wait for each other in a circle:
// PostgreSQL would end one of them after a second.
func TestWhatIsShownGoesWhileItsPageIsWrittenTo(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	first, second := c.node(t), c.node(t)
	d := newDesk(t, first)
	deletions := map[string]func(context.Context, *tx, sett.Site, sett.CheckIn) error{
		"a site": func(ctx context.Context, t *tx, site sett.Site, _ sett.CheckIn) error {
			have, err := t.LockSite(ctx, site.ProjectID, site.ID)
			return errors.Join(err, t.BurySites(ctx, []int64{have.Number}, []sett.UUID{site.ID}))
		},
		"the sites of a project": func(ctx context.Context, t *tx, site sett.Site, _ sett.CheckIn) error {
			_, err := t.BuryProjectSites(ctx, site.ProjectID)
			return err
		},
		"a check-in": func(ctx context.Context, t *tx, _ sett.Site, job sett.CheckIn) error {
			return t.DeleteCheckIn(ctx, job.ProjectID, job.ID)
		},
		"the check-ins of a project": func(ctx context.Context, t *tx, _ sett.Site, job sett.CheckIn) error {
			_, err := t.DeleteCheckIns(ctx, job.ProjectID)
			return err
		},
		"check-ins that are not listed": func(ctx context.Context, t *tx, _ sett.Site, job sett.CheckIn) error {
			y := uptime.CheckInSync{T: t.uptimeTx, Now: noon, ProjectID: job.ProjectID, Have: map[string]uptime.StoredCheckIn{}, Writes: uptime.CheckInWrites{Now: noon}}
			return y.Run(ctx, nil)
		},
	}
	for what, remove := range deletions {
		site, job := d.site(d.ProjectID), d.checkIn(d.ProjectID, hourly("job"))
		page := d.pageOf(site, job)
		about := sett.IncidentChange{
			Name: sett.Some("Slow"), Message: sett.Some("We look."), SiteIDs: sett.Some([]string{site.ID.String()}), CheckInIDs: sett.Some([]string{job.ID}),
		}
		i, err := first.CreateIncident(t.Context(), noon, d.AccountID, page.ID, about)
		if err != nil {
			t.Fatal(err)
		}
		removed, tried := make(chan error, 1), 0
		err = first.ChangeStatusPage(t.Context(), "write of it", noon, d.AccountID, page.ID, func(writing status.Tx, p sett.StatusPage) error {
			if tried++; tried > 1 {
				return errors.New("tried again")
			}
			go func() {
				removed <- second.tryIntakeTx(t.Context(), func(tx *tx) error { return remove(t.Context(), tx, site, job) })
			}()
			const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
			for d.numbers(waiting, 1)[0] == 0 && len(removed) == 0 {
			}
			_, err := writing.WriteIncident(t.Context(), p.Number, i.StatusIncident, sett.IncidentUpdate{})
			return err
		})
		if err := errors.Join(err, <-removed); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		d.run(`DELETE FROM status_pages`)
		d.run(`DELETE FROM sites`)
		d.run(`DELETE FROM check_ins`)
	}
}
