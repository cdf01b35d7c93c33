package deliverydb_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// newIntegration makes an integration of the desk's project.
func (d *desk) newIntegration(kind string) alerts.Integration {
	d.T.Helper()
	made, err := d.Deliveries.CreateIntegration(d.T.Context(), storetest.Noon, d.ProjectID, storetest.TestKinds(), storetest.ChannelOf(kind))
	if err != nil {
		d.T.Fatal(err)
	}
	return made
}

// alerted gives a project alerts with a delivery to an integration and an attempt each, and a window of flood control.
func (d *desk) alerted(project, integration int64, n int) {
	d.T.Helper()
	d.Run(`INSERT INTO alerts (project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts, spread)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
		SELECT CAST($1 AS bigint), 'occurred', 'fault 1', 0, '', 0, 0, 0, '{}', true FROM n`, project, n)
	d.Run(`INSERT INTO deliveries (alert_id, receiver, integration_id, event, subject, state, due_at, tries, created_at, done_at, problem)
		SELECT a.id, 'integration ' || CAST($2 AS bigint), $2, a.event, a.subject, 'sent', 0, 1, 0, 0, '' FROM alerts a WHERE a.project_id = $1`, project, integration)
	d.Run(`INSERT INTO attempts (delivery_id, number, at, duration, status, problem)
		SELECT d.id, 1, 0, 0, 200, '' FROM deliveries d WHERE d.integration_id = $1`, integration)
	d.Run(`INSERT INTO floods (receiver, project_id, began_at, sent, held) VALUES ('integration ' || CAST($2 AS bigint), $1, 0, 1, 0)`, project, integration)
}

func TestIntegrationLife(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site, err := d.Uptime.CreateSite(t.Context(), storetest.Noon, d.ProjectID, checks.SiteChange{URL: sett.Some("https://shop.test")})
		if err != nil {
			t.Fatal(err)
		}
		job := d.CheckIn(d.ProjectID, storetest.Hourly("backup"))
		change := storetest.ChannelOf("WebHook")
		change.SiteIDs, change.CheckInIDs = sett.Some([]string{site.ID.String()}), sett.Some([]string{job.ID})
		change.Filters, change.ExcludedEnvironments = sett.Some([]alerts.IntegrationFilter{{Event: "all", Query: "x"}}), sett.Some([]string{"lab"})
		change.Rate, change.Threshold = sett.Some("hour"), sett.Some[int64](5)
		made, err := s.Deliveries.CreateIntegration(t.Context(), storetest.Noon, d.ProjectID, storetest.TestKinds(), change)
		want := alerts.Integration{
			ID: made.ID, ProjectID: d.ProjectID, CreatedAt: storetest.Noon, UpdatedAt: storetest.Noon, IntegrationSettings: alerts.IntegrationSettings{
				Type: "WebHook", Active: true, Events: alerts.DefaultAlertEvents(), SiteIDs: []string{site.ID.String()}, CheckInIDs: []string{job.ID},
				Options: map[string]any{"url": "https://x.test"}, ExcludedEnvironments: []string{"lab"},
				Filters: []alerts.IntegrationFilter{{Event: "all", Query: "x"}}, Rate: alerts.RateHour, Threshold: 5, NotificationLimit: 30,
			},
		}
		if diff := cmp.Diff(want, made); diff != "" || err != nil {
			t.Fatalf("%v, made (-want +got):\n%s", err, diff)
		}

		d.Run(`UPDATE integrations SET failed_at = 7, problem = 'gone' WHERE id = $1`, made.ID)
		if got, err := s.Deliveries.IntegrationByID(t.Context(), d.ProjectID, made.ID); err != nil || got.Problem != "gone" || got.FailedAt.IsZero() {
			t.Errorf("marked: %+v, %v", got, err)
		}
		later := storetest.Noon.Add(time.Hour)
		edit := alerts.IntegrationChange{
			Active: sett.Some[sett.LenientBool](false), Events: sett.Some([]string{"up"}), SiteIDs: sett.Some([]string{}), CheckInIDs: sett.Some([]string{}),
			Options: sett.Some(map[string]any{"url": "https://y.test"}), ExcludedEnvironments: sett.Some([]string{"a", "b"}),
			Filters: sett.Some([]alerts.IntegrationFilter{{Event: "up", Query: "y"}}), Rate: sett.Some("min"), Threshold: sett.Some[int64](6), NotificationLimit: sett.Some[int64](7),
		}
		if err := s.Deliveries.UpdateIntegration(t.Context(), later, d.ProjectID, made.ID, storetest.TestKinds(), edit); err != nil {
			t.Fatal(err)
		}
		want.UpdatedAt, want.IntegrationSettings = later, alerts.IntegrationSettings{
			Type: "WebHook", Events: []alerts.AlertEvent{"up"}, SiteIDs: []string{}, CheckInIDs: []string{}, Options: map[string]any{"url": "https://y.test"},
			ExcludedEnvironments: []string{"a", "b"}, Filters: []alerts.IntegrationFilter{{Event: "up", Query: "y"}}, Rate: alerts.RateMinute, Threshold: 6, NotificationLimit: 7,
		}
		got, err := s.Deliveries.IntegrationByID(t.Context(), d.ProjectID, made.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, changed (-want +got):\n%s", err, diff)
		}
	})
}

// What an integration watches belongs to its project, and what does not is refused with all else that is wrong.
func TestIntegrationsWatchWhatIsOfTheirProject(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		theirs, err := d.Uptime.CreateSite(t.Context(), storetest.Noon, other.ID, checks.SiteChange{URL: sett.Some("https://theirs.test")})
		if err != nil {
			t.Fatal(err)
		}
		mine, err := d.Uptime.CreateSite(t.Context(), storetest.Noon, d.ProjectID, checks.SiteChange{URL: sett.Some("https://mine.test")})
		if err != nil {
			t.Fatal(err)
		}
		job := d.CheckIn(other.ID, storetest.Hourly("theirs"))
		const refused = "Please correct: %ssite_ids must be ids of sites of this project; %q is none%s."
		for _, c := range []struct {
			sites, checkIns []string
			limit           int64
			want            string
		}{
			{[]string{mine.ID.String(), theirs.ID.String()}, nil, 30, fmt.Sprintf(refused, "", theirs.ID.String(), "")},
			{[]string{"x"}, nil, 30, fmt.Sprintf(refused, "", "x", "")},
			{[]string{"x"}, []string{job.ID}, 0, fmt.Sprintf(refused, "notification_limit must be from 1 to 100000; ", "x", fmt.Sprintf("; check_in_ids must be ids of check-ins of this project; %q is none", job.ID))},
		} {
			change := storetest.ChannelOf("WebHook")
			change.SiteIDs, change.CheckInIDs, change.NotificationLimit = sett.Some(c.sites), sett.Some(c.checkIns), sett.Some(c.limit)
			if _, err := s.Deliveries.CreateIntegration(t.Context(), storetest.Noon, d.ProjectID, storetest.TestKinds(), change); sett.CodeOf(err) != sett.Invalid || err.Error() != c.want {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		}

		change := storetest.ChannelOf("WebHook")
		change.SiteIDs = sett.Some([]string{mine.ID.String()})
		made, err := s.Deliveries.CreateIntegration(t.Context(), storetest.Noon, d.ProjectID, storetest.TestKinds(), change)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Uptime.DeleteSite(t.Context(), d.ProjectID, mine.ID); err != nil {
			t.Fatal(err)
		}
		change.Type = sett.Optional[string]{}
		if err := s.Deliveries.UpdateIntegration(t.Context(), storetest.Noon, d.ProjectID, made.ID, storetest.TestKinds(), change); err != nil {
			t.Errorf("sent back as it was, with a site that is gone: %v", err)
		}
	})
}

func TestIntegrationsThatAreMissing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		made := d.newIntegration("WebHook")
		for _, at := range [][2]int64{{other.ID, made.ID}, {d.ProjectID, made.ID + 1}} {
			_, read := s.Deliveries.IntegrationByID(t.Context(), at[0], at[1])
			for what, err := range map[string]error{
				"read": read, "update": s.Deliveries.UpdateIntegration(t.Context(), storetest.Noon, at[0], at[1], storetest.TestKinds(), alerts.IntegrationChange{}),
				"delete": s.Deliveries.DeleteIntegration(t.Context(), at[0], at[1]),
			} {
				if sett.CodeOf(err) != sett.NotFound || err.Error() != "Integration not found" {
					t.Errorf("%s %v: %v", what, at, err)
				}
			}
		}
		if _, err := s.Deliveries.CreateIntegration(t.Context(), storetest.Noon, 999, storetest.TestKinds(), storetest.ChannelOf("WebHook")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("in no project: %v", err)
		}
		if got, err := s.Deliveries.IntegrationByID(t.Context(), d.ProjectID, made.ID); err != nil || !got.Active {
			t.Errorf("the integration itself was changed: %+v, %v", got, err)
		}
	})
}

// What is deleted takes more than one step, and nothing of another integration goes with it.
func TestDeleteIntegration(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		gone, stays := d.newIntegration("Github"), d.newIntegration("Github")
		d.alerted(d.ProjectID, gone.ID, db.RowsAtOnce+50)
		d.Run(`INSERT INTO deliveries (alert_id, receiver, integration_id, event, subject, state, due_at, tries, created_at, done_at, problem)
			SELECT min(a.id), 'integration', CAST($2 AS bigint), 'up', '', 'due', 0, 1, 0, 0, '' FROM alerts a WHERE a.project_id = $1`, d.ProjectID, stays.ID)
		for _, i := range []alerts.Integration{gone, stays} {
			if err := s.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID("E"), i.ID, triage.LinkData{"number": []byte("1")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Deliveries.DeleteIntegration(t.Context(), d.ProjectID, gone.ID); err != nil {
			t.Fatal(err)
		}
		got := d.Numbers(`SELECT (SELECT count(*) FROM integrations), (SELECT count(*) FROM deliveries), (SELECT count(*) FROM attempts), (SELECT count(*) FROM fault_links), (SELECT count(*) FROM floods)`, 5)
		if diff := cmp.Diff([]int64{1, 1, 0, 1, 0}, got); diff != "" {
			t.Errorf("integrations, deliveries, attempts, links, floods (-want +got):\n%s", diff)
		}
		if _, err := s.Deliveries.IntegrationByID(t.Context(), d.ProjectID, stays.ID); err != nil {
			t.Error(err)
		}
	})
}

// Those who make integrations at the same time do not make too many, and a project that had too many before keeps them.
func TestProjectsHaveSoManyIntegrations(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		d.WebHook(func(i *alerts.Integration) { i.ProjectID = other.ID })
		for n := range alerts.MaxIntegrations - 1 {
			d.WebHook(func(i *alerts.Integration) { i.Active = n%2 == 0 })
		}
		again := func() error {
			_, err := s.Deliveries.CreateIntegration(t.Context(), storetest.Noon, d.ProjectID, storetest.TestKinds(), storetest.ChannelOf("WebHook"))
			return err
		}
		results := [4]error{}
		var done sync.WaitGroup
		for i := range results {
			done.Go(func() { results[i] = again() })
		}
		done.Wait()
		refused := 0
		const want = "This project already has 100 integrations, and the maximum is 100. Delete one that you no longer need, or change one instead of creating another."
		for _, err := range results {
			if err != nil {
				refused++
			}
			if err != nil && (sett.CodeOf(err) != sett.Invalid || err.Error() != want) {
				t.Errorf("refused: %v", err)
			}
		}
		if refused != 3 {
			t.Errorf("%d of 4 were refused", refused)
		}
		last := d.WebHook()
		if err := again(); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("beyond the most: %v", err)
		}
		if err := s.Deliveries.UpdateIntegration(t.Context(), storetest.Noon, d.ProjectID, last.ID, storetest.TestKinds(), alerts.IntegrationChange{Active: sett.Some[sett.LenientBool](false)}); err != nil {
			t.Errorf("a change of one beyond the most: %v", err)
		}
		d.Run(`DELETE FROM integrations WHERE id IN (SELECT id FROM integrations WHERE project_id = $1 ORDER BY id LIMIT 2)`, d.ProjectID)
		if err := again(); err != nil {
			t.Errorf("after two were deleted: %v", err)
		}
	})
}
