package uptimedb_test

import (
	"context"
	"errors"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// Transactions that delete what a status page shows and those that write about it on that page never deadlock:
// PostgreSQL would end one of them after a second.
func TestWhatIsShownGoesWhileItsPageIsWrittenTo(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	first, second := c.Node(t), c.Node(t)
	d := newDesk(t, first)
	deletions := map[string]func(context.Context, uptimedb.Tx, checks.Site, checks.CheckIn) error{
		"a site": func(ctx context.Context, t uptimedb.Tx, site checks.Site, _ checks.CheckIn) error {
			have, err := t.LockSite(ctx, site.ProjectID, site.ID)
			return errors.Join(err, t.BurySites(ctx, []int64{have.Number}, []sett.UUID{site.ID}))
		},
		"the sites of a project": func(ctx context.Context, t uptimedb.Tx, site checks.Site, _ checks.CheckIn) error {
			_, _, err := t.DeleteProjectSites(ctx, site.ProjectID)
			return err
		},
		"a check-in": func(ctx context.Context, t uptimedb.Tx, _ checks.Site, job checks.CheckIn) error {
			return t.DeleteCheckIn(ctx, job.ProjectID, job.ID)
		},
		"the check-ins of a project": func(ctx context.Context, t uptimedb.Tx, _ checks.Site, job checks.CheckIn) error {
			_, err := t.DeleteCheckIns(ctx, job.ProjectID)
			return err
		},
		"check-ins that are not listed": func(ctx context.Context, t uptimedb.Tx, _ checks.Site, job checks.CheckIn) error {
			y := uptimedb.CheckInSync{T: t, Now: storetest.Noon, ProjectID: job.ProjectID, Have: map[string]uptimedb.StoredCheckIn{}, Writes: uptimedb.CheckInWrites{Now: storetest.Noon}}
			_, err := y.Run(ctx, nil)
			return err
		},
	}
	for what, remove := range deletions {
		site, job := d.Site(d.ProjectID), d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		page := d.PageOf(site, job)
		about := status.IncidentChange{
			Name: sett.Some("Slow"), Message: sett.Some("We look."), SiteIDs: sett.Some([]string{site.ID.String()}), CheckInIDs: sett.Some([]string{job.ID}),
		}
		i, err := first.Status.CreateIncident(t.Context(), storetest.Noon, d.AccountID, page.ID, about)
		if err != nil {
			t.Fatal(err)
		}
		removed, tried := make(chan error, 1), 0
		err = first.Status.ChangeStatusPage(t.Context(), "write of it", storetest.Noon, d.AccountID, page.ID, func(writing statusdb.Tx, p status.StatusPage) error {
			if tried++; tried > 1 {
				return errors.New("tried again")
			}
			go func() {
				removed <- second.Uptime.TryInOwnTx(t.Context(), func(tx uptimedb.Tx) error { return remove(t.Context(), tx, site, job) })
			}()
			const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
			for d.Numbers(waiting, 1)[0] == 0 && len(removed) == 0 {
			}
			_, err := writing.WriteIncident(t.Context(), p.Number, i.StatusIncident, status.IncidentUpdate{})
			return err
		})
		if err := errors.Join(err, <-removed); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		d.Run(`DELETE FROM status_pages`)
		d.Run(`DELETE FROM sites`)
		d.Run(`DELETE FROM check_ins`)
	}
}
