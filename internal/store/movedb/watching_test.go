package movedb_test

import (
	"strconv"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/store"
	"sett/internal/store/movedb"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func newWatching(d *storetest.Desk) *movedb.Watching {
	return d.Moves.Watch(movedb.Watching{From: move.Place{Source: "kuma", Host: "a"}, ProjectID: d.ProjectID, Now: storetest.Noon, Sites: []checks.SiteKind{checks.HTTPSites()}})
}

// wants checks what becomes of a thing, and returns its id.
func wants(t *testing.T, when string, want movedb.Outcome) func(movedb.Applied, error) string {
	t.Helper()
	return func(a movedb.Applied, err error) string {
		t.Helper()
		if err != nil || a.Outcome != want {
			t.Errorf("%s: %+v, %v, want %s", when, a, err, want)
		}
		return a.ID
	}
}

func oldSite() move.Site {
	day := storetest.Noon.Truncate(24*time.Hour).AddDate(0, 0, -2)
	return move.Site{
		ID: "7", Name: "Shop", URL: "https://shop.example.org", Every: 2 * time.Minute, Timeout: 48 * time.Second, Method: "GET", Match: move.AnySuccess, Failures: 3,
		Headers: []move.Header{{Name: "X-Key", Value: "secret"}},
		Past: move.Past{
			Since: day, Last: storetest.Noon.Add(-time.Minute),
			Outages: []move.Outage{{Down: day.Add(time.Hour), Up: day.Add(2 * time.Hour), Reason: "timeout"}},
			Days:    []move.Day{{At: day, Up: 660, Failed: 60, Average: 80 * time.Millisecond}},
		},
	}
}

func TestSitesMoveInOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := storetest.NewDesk(t, s), t.Context()
		w, site := newWatching(d), oldSite()
		w.DryRun = true
		wants(t, "a dry run", movedb.Made)(w.Site(ctx, site))
		d.WantNumbers("a dry run", "SELECT (SELECT count(*) FROM imported) + (SELECT count(*) FROM sites)", nil, 0)
		w.DryRun = false
		id, err := sett.ParseUUID(wants(t, "the first run", movedb.Made)(w.Site(ctx, site)))
		if err != nil {
			t.Fatal(err)
		}
		made, err := d.Uptime.SiteByID(ctx, d.ProjectID, id)
		if err != nil || made.State != sett.SitePending || made.Frequency != 1 || made.Timeout != 30*time.Second || made.OutageThreshold != 3 || made.Headers[0].Value != "secret" {
			t.Errorf("the site is %+v, %v", made, err)
		}
		d.WantRaised("a site that moves in")
		stored, _, err := d.Uptime.ListOutages(ctx, d.ProjectID, id, allSpans())
		if err != nil || len(stored) != 1 || stored[0].Reason != "timeout" {
			t.Errorf("outages %+v, %v", stored, err)
		}
		days, err := d.Uptime.UptimeDays(ctx, d.ProjectID, id, storetest.Noon.AddDate(0, 0, -3), storetest.Noon)
		if err != nil || len(days) != 1 || days[0].Checks != 720 || days[0].Failed != 60 {
			t.Errorf("days %+v, %v", days, err)
		}

		wants(t, "again", movedb.Present)(w.Site(ctx, site))
		site.URL = "https://shop.example.org/health"
		wants(t, "changed at the source", movedb.Changed)(w.Site(ctx, site))
		if err := d.Uptime.UpdateSite(ctx, storetest.Noon, d.ProjectID, id, checks.SiteChange{Name: sett.Some("Ours")}); err != nil {
			t.Fatal(err)
		}
		wants(t, "changed in sett", movedb.Present)(w.Site(ctx, site))
		site.Every = 5 * time.Minute
		wants(t, "changed in both", movedb.Kept)(w.Site(ctx, site))
		if err := d.Uptime.DeleteSite(ctx, d.ProjectID, id); err != nil {
			t.Fatal(err)
		}
		wants(t, "deleted", movedb.Deleted)(w.Site(ctx, site))
		site.ID, site.URL = "8", "gopher://shop"
		wants(t, "of a kind that sett lacks", movedb.Refused)(w.Site(ctx, site))
	})
}

func TestCheckInsMoveInOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := storetest.NewDesk(t, s), t.Context()
		w := newWatching(d)
		day := storetest.Noon.AddDate(0, 0, -2)
		c := move.CheckIn{ID: "9", Name: "Backup", Slug: "Nightly backup", Every: 90 * time.Second, Grace: time.Hour, Past: move.Past{
			Since: day, Last: storetest.Noon, Outages: []move.Outage{{Down: day.Add(time.Hour), Up: day.Add(3 * time.Hour)}},
		}}
		id := wants(t, "the first run", movedb.Made)(w.CheckIn(ctx, c))
		made, err := d.Uptime.CheckInByID(ctx, d.ProjectID, id)
		if err != nil || made.State != sett.CheckInPending || made.ReportPeriod != "2 minutes" || made.GracePeriod != "1 hour" || made.Slug != "nightly-backup" {
			t.Errorf("the check-in is %+v, %v", made, err)
		}
		d.WantNumbers("turns", "SELECT count(*), sum(CASE WHEN state = 'missing' THEN 1 ELSE 0 END) FROM check_in_turns", nil, 4, 1)
		wants(t, "again", movedb.Present)(w.CheckIn(ctx, c))
		c.Grace = 2 * time.Hour
		wants(t, "changed at the source", movedb.Changed)(w.CheckIn(ctx, c))
		if err := d.Uptime.UpdateCheckIn(ctx, storetest.Noon, d.ProjectID, id, checks.CheckInChange{Name: sett.Some("Ours")}); err != nil {
			t.Fatal(err)
		}
		c.Grace = 3 * time.Hour
		wants(t, "changed in both", movedb.Kept)(w.CheckIn(ctx, c))

		c.ID, c.Slug, c.Name = "10", "", "Ours"
		twin := wants(t, "with the same name", movedb.Made)(w.CheckIn(ctx, c))
		if made, err := d.Uptime.CheckInByID(ctx, d.ProjectID, twin); err != nil || made.Name != "Ours (2)" {
			t.Errorf("the twin is %+v, %v", made, err)
		}
		own, err := d.Uptime.CreateCheckIn(ctx, storetest.Noon, d.ProjectID, checks.CheckInChange{Slug: sett.Some("report"), ReportPeriod: sett.Some(checks.PeriodText("1 day"))})
		if err != nil {
			t.Fatal(err)
		}
		c.ID, c.Slug = "11", "report"
		if got := wants(t, "that people have made", movedb.Present)(w.CheckIn(ctx, c)); got != own.ID {
			t.Errorf("found %s, want %s", got, own.ID)
		}
		c.Grace = time.Minute
		wants(t, "that people have made, changed at the source", movedb.Kept)(w.CheckIn(ctx, c))
		c.ID, c.Slug, c.Cron = "12", "", "every day"
		wants(t, "with no schedule", movedb.Refused)(w.CheckIn(ctx, c))
		d.WantRaised("check-ins that move in")
	})
}

func allSpans() uptimedb.SpanFilter { return uptimedb.SpanFilter{Page: sett.Page{Size: 10}} }

// Channels, pages, incidents and windows come with what they refer to, once, and no one is notified.
func TestPagesMoveInOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := storetest.NewDesk(t, s), t.Context()
		w := newWatching(d)
		w.AccountID, w.Channels = d.AccountID, storetest.TestKinds()
		d.StatusPage("Taken")
		site := oldSite()
		siteID := wants(t, "site", movedb.Made)(w.Site(ctx, site))
		checkIn := wants(t, "check-in", movedb.Made)(w.CheckIn(ctx, move.CheckIn{ID: "9", Name: "Backup", Every: time.Hour}))
		ids := movedb.IDs{{Kind: move.SiteKind, ID: "7"}: siteID, {Kind: move.CheckInKind, ID: "9"}: checkIn}
		day := storetest.Noon.Truncate(24*time.Hour).AddDate(0, 0, -2)
		page := move.StatusPage{
			ID: "1", Name: "Acme status", Slug: "taken",
			Components: []move.Component{{Kind: move.CheckInKind, ID: "9", Group: "Jobs"}, {Kind: move.SiteKind, ID: "7", Name: "Front", Group: "Web"}, {Kind: move.SiteKind, ID: "8"}},
		}
		a, err := w.Page(ctx, page, ids)
		pageID := wants(t, "page", movedb.Made)(a, err)
		if a.Why == "" {
			t.Error("nothing says that the address is another one")
		}
		made := d.FindStatusPage(pageID)
		if len(made.Components) != 2 || made.Components[1].CheckInID != checkIn || made.Components[0].Group != "Web" || made.Slug != "acme-status" {
			t.Errorf("the page is %+v", made.StatusPageSettings)
		}
		note := move.Incident{ID: "1", Name: "Slow", Message: "It was **slow**.", Start: day, End: day.Add(time.Hour), Of: []move.Watched{{Kind: move.SiteKind, ID: "7"}}}
		incident := wants(t, "incident", movedb.Made)(w.Incident(ctx, pageID, note, ids))
		wants(t, "incident again", movedb.Present)(w.Incident(ctx, pageID, note, ids))
		if got := d.IncidentsOf(made, ""); len(got) != 1 || got[0].Name != "Slow" || !got[0].ResolvedAt.Equal(day.Add(time.Hour)) || incident == "" {
			t.Errorf("incidents %+v", got)
		}
		wants(t, "page again", movedb.Present)(w.Page(ctx, page, ids))
		page.Name = "Other"
		wants(t, "page changed at the source", movedb.Kept)(w.Page(ctx, page, ids))

		window := move.Maintenance{ID: "1", Reason: "Upgrade", Start: storetest.Noon.Add(time.Hour), End: storetest.Noon.Add(2 * time.Hour), Of: []move.Watched{{Kind: move.SiteKind, ID: "7"}}}
		wants(t, "window", movedb.Made)(w.Maintenance(ctx, window, ids))
		wants(t, "window again", movedb.Present)(w.Maintenance(ctx, window, ids))
		window.ID, window.Of = "2", []move.Watched{{Kind: move.SiteKind, ID: "8"}}
		wants(t, "a window of what did not come", movedb.Refused)(w.Maintenance(ctx, window, ids))
		window.ID, window.Of, window.End = "3", nil, storetest.Noon.Add(-time.Hour)
		wants(t, "a window that is over", movedb.Refused)(w.Maintenance(ctx, window, ids))

		kind := storetest.TestKinds()[0].Type
		id := wants(t, "channel", movedb.Made)(w.Channel(ctx, move.Channel{ID: "1", Name: "Team", Type: kind, Options: storetest.ChannelOf(kind).Options.Value}))
		number, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if i, err := d.Deliveries.IntegrationByID(ctx, d.ProjectID, number); err != nil || i.Active {
			t.Errorf("the channel is %+v, %v", i, err)
		}
		d.WantRaised("all that moved in")
		d.Live(storetest.Noon, checks.Virginia)
		moved := d.FindSite(checks.Site{ProjectID: d.ProjectID, ID: mustUUID(t, siteID)})
		d.Checked(storetest.Noon.Add(time.Minute), storetest.Look(moved, checks.Virginia, storetest.Noon.Add(time.Minute), true))
		d.WantRaised("the first check")
		d.WantDays("a site that was down before it moved in", d.View(storetest.Noon.Add(2*time.Minute), pageID)[0], "11-16 24h0m0s down 1h0m0s, outages 1, new 1", "11-18 12h2m0s")
	})
}

func mustUUID(t *testing.T, text string) sett.UUID {
	t.Helper()
	id, err := sett.ParseUUID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
