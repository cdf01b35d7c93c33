package uptimedb_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestAnOutageFromOneLocation(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		now := func(minutes int) time.Time { return at(minutes).Add(time.Second) }

		if kinds := d.Checked(now(1), storetest.Look(site, checks.Virginia, at(1), true)); kinds != nil {
			t.Errorf("the first check: %v", kinds)
		}
		if got := d.FindSite(site); got.State != sett.SiteUp || !got.LastCheckedAt.Equal(at(1)) || !got.ChangedAt.Equal(at(1)) {
			t.Errorf("after a check: %+v", got)
		}
		down := storetest.Look(site, checks.Virginia, at(2), false)
		if diff := cmp.Diff([]checks.SiteEventKind{checks.SiteWentDown}, d.Checked(now(2), down)); diff != "" {
			t.Error(diff)
		}
		if kinds := d.Checked(now(3), storetest.Look(site, checks.Virginia, at(3), false)); kinds != nil {
			t.Errorf("it is still down: %v", kinds)
		}
		outages := d.OutagesOf(site)
		want := []checks.Outage{{
			SiteID: site.ID, DownAt: at(2), CreatedAt: now(2), Status: 503, Reason: "Expected 2xx status code -- got 503",
			Headers: map[string]string{"server": "nginx"}, Location: checks.Virginia, Body: []byte("<h1>Sorry</h1>"),
		}}
		want[0].ID = outages[0].ID
		if diff := cmp.Diff(want, outages); diff != "" {
			t.Errorf("outage (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]checks.SiteEventKind{checks.SiteCameUp}, d.Checked(now(4), storetest.Look(site, checks.Virginia, at(4), true))); diff != "" {
			t.Error(diff)
		}
		want[0].UpAt = at(4)
		if diff := cmp.Diff(want, d.OutagesOf(site)); diff != "" {
			t.Errorf("over (-want +got):\n%s", diff)
		}
		results := []checks.UptimeCheck{
			storetest.Look(site, checks.Virginia, at(4), true).Check(), storetest.Look(site, checks.Virginia, at(3), false).Check(), down.Check(),
			storetest.Look(site, checks.Virginia, at(1), true).Check(),
		}
		if diff := cmp.Diff(results, d.ChecksOf(site)); diff != "" {
			t.Errorf("checks (-want +got):\n%s", diff)
		}
		verdicts, err := s.Uptime.Verdicts(t.Context(), d.ProjectID, site.ID)
		if diff := cmp.Diff([]checks.Verdict{{Location: checks.Virginia, Up: true, At: at(4).Add(100 * time.Millisecond), Status: 200}}, verdicts); err != nil || diff != "" {
			t.Errorf("%v, verdicts (-want +got):\n%s", err, diff)
		}
	})
}

// The first failure makes the others look, and half of them decide.
func TestAnOutageIsConfirmedByOthers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.Frankfurt, checks.London)
		site := d.Site(d.ProjectID)
		var first []checks.CheckReport
		for _, l := range []checks.Location{checks.Virginia, checks.Frankfurt, checks.London} {
			first = append(first, storetest.Look(site, l, storetest.Noon, true))
		}
		d.Checked(storetest.Noon.Add(time.Second), first...)
		at := storetest.Noon.Add(time.Minute)
		if diff := cmp.Diff([]checks.SiteEventKind{checks.SiteAsked}, d.Checked(at, storetest.Look(site, checks.London, at, false))); diff != "" {
			t.Error(diff)
		}
		asked := d.FindSite(site)
		if asked.State != sett.SiteUp || !asked.AskedAt.Equal(at) || asked.AskedBy != checks.London || asked.Revision != site.Revision+1 ||
			asked.TargetRevision != site.TargetRevision {
			t.Errorf("asked: %+v", asked)
		}
		// A location that has not heard of it yet is about the same target.
		got := d.Checked(at.Add(3*time.Second), storetest.Look(site, checks.Virginia, at.Add(2*time.Second), false))
		if diff := cmp.Diff([]checks.SiteEventKind{checks.SiteWentDown}, got); diff != "" {
			t.Error(diff)
		}
		if outages := d.OutagesOf(site); len(outages) != 1 || !outages[0].DownAt.Equal(at) || outages[0].Location != checks.Virginia {
			t.Errorf("outages: %+v", outages)
		}
	})
}

// What does not count leaves the state alone; some of it is history all the same.
func TestChecksThatChangeNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Locations = sett.Some([]string{"Virginia", "Oregon", "Frankfurt"}) })
		idle := d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Active = sett.Some(false) })
		up := storetest.Look(site, checks.Virginia, storetest.Noon, true)
		d.Checked(storetest.Noon, up)
		older := storetest.Look(site, checks.Virginia, storetest.Noon.Add(-time.Minute), false)
		kept := storetest.Look(site, checks.Virginia, storetest.Noon.Add(time.Minute), false, func(r *checks.CheckReport) { r.Backfilled = true })
		dead := storetest.Look(site, checks.Oregon, storetest.Noon.Add(time.Minute), false)
		only := storetest.Look(site, checks.Frankfurt, storetest.Noon, true, func(r *checks.CheckReport) { r.Backfilled = true })
		now := storetest.Noon.Add(2 * time.Minute)
		for range 2 { // sent twice, they count once
			kinds := d.Checked(now, older, kept, dead, only, up,
				storetest.Look(site, checks.London, storetest.Noon, false), // not selected
				storetest.Look(idle, checks.Virginia, storetest.Noon, false),
				storetest.Look(checks.Site{ID: sett.UUID{1}}, checks.Virginia, storetest.Noon, false),
				storetest.Look(site, checks.Virginia, storetest.Noon.Add(-8*24*time.Hour), false),
				storetest.Look(site, checks.Virginia, now, false, func(r *checks.CheckReport) { r.Revision = site.TargetRevision - 1 }),
			)
			if kinds != nil {
				t.Errorf("it brought about %v", kinds)
			}
		}
		if got := d.FindSite(site); got.State != sett.SiteUp || !got.LastCheckedAt.Equal(storetest.Noon.Add(time.Minute)) {
			t.Errorf("the site: %+v", got)
		}
		if got := d.FindSite(idle); got.State != sett.SitePending || !got.LastCheckedAt.IsZero() {
			t.Errorf("the idle site: %+v", got)
		}
		want := []checks.UptimeCheck{dead.Check(), kept.Check(), only.Check(), up.Check(), older.Check()}
		if diff := cmp.Diff(want, d.ChecksOf(site)); diff != "" {
			t.Errorf("checks (-want +got):\n%s", diff)
		}
		verdicts, err := s.Uptime.Verdicts(t.Context(), d.ProjectID, site.ID)
		if err != nil || len(verdicts) != 2 || verdicts[0].Location != checks.Virginia || !verdicts[0].Up || verdicts[1].Location != checks.Oregon {
			t.Errorf("verdicts: %+v, %v", verdicts, err)
		}
		if len(d.ChecksOf(idle)) > 0 {
			t.Error("the idle site has checks")
		}
		streak := d.Count(`SELECT failures FROM site_states st JOIN sites s ON s.id = st.site_id WHERE s.project_id IN `, d.ProjectID)
		if streak != 0 {
			t.Errorf("a streak of %d", streak)
		}
	})
}

func TestANewTargetForgetsVerdicts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID)
		d.Checked(storetest.Noon, storetest.Look(site, checks.Virginia, storetest.Noon, false))
		later := storetest.Noon.Add(time.Minute)
		if err := s.Uptime.UpdateSite(t.Context(), later, d.ProjectID, site.ID, checks.SiteChange{URL: sett.Some("https://x.test")}); err != nil {
			t.Fatal(err)
		}
		if verdicts, err := s.Uptime.Verdicts(t.Context(), d.ProjectID, site.ID); err != nil || len(verdicts) > 0 {
			t.Errorf("verdicts: %v, %v", verdicts, err)
		}
		changed := d.FindSite(site)
		if changed.State != sett.SiteDown || len(d.OutagesOf(site)) != 1 {
			t.Errorf("the state has changed without a check: %+v", changed)
		}
		if kinds := d.Checked(later, storetest.Look(site, checks.Virginia, later, true)); kinds != nil {
			t.Errorf("a check of the old target: %v", kinds)
		}
		if kinds := d.Checked(later, storetest.Look(changed, checks.Virginia, later, true)); len(kinds) != 1 || kinds[0] != checks.SiteCameUp {
			t.Errorf("a check of the new target: %v", kinds)
		}
	})
}

func TestCertificatesAreWarnedOfOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID)
		ends := storetest.Noon.Add(40 * 24 * time.Hour)
		see := func(fingerprint string, ends time.Time) func(*checks.CheckReport) {
			return func(r *checks.CheckReport) {
				r.Result.Certificate = &checks.ProbeCertificate{Fingerprint: fingerprint, NotAfter: ends}
			}
		}
		var days []int64
		warned := func(at time.Time, change func(*checks.CheckReport)) {
			t.Helper()
			d.Live(at, checks.Virginia)
			events, err := s.Uptime.RecordChecks(t.Context(), at, []checks.CheckReport{storetest.Look(site, checks.Virginia, at, true, change)})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				days = append(days, e.Days)
			}
		}
		for hour := range 41 * 24 / 6 {
			warned(storetest.Noon.Add(time.Duration(hour)*6*time.Hour), see("aa", ends))
		}
		if diff := cmp.Diff([]int64{30, 14, 7, 3, 1}, days); diff != "" {
			t.Errorf("thresholds (-want +got):\n%s", diff)
		}
		days = nil
		at := ends.Add(2 * 24 * time.Hour)
		for i := range 6 { // two certificates in turn, as behind a balancer
			at = at.Add(time.Minute)
			warned(at, see([]string{"bb", "cc"}[i%2], at.Add(5*24*time.Hour)))
		}
		if diff := cmp.Diff([]int64{7, 7}, days); diff != "" {
			t.Errorf("two certificates (-want +got):\n%s", diff)
		}
		if got := d.FindSite(site); !got.CertWillExpireAt.Equal(at.Add(5 * 24 * time.Hour)) {
			t.Errorf("expires at %s", got.CertWillExpireAt)
		}
		if err := s.Uptime.UpdateSite(t.Context(), at, d.ProjectID, site.ID, checks.SiteChange{URL: sett.Some("http://elsewhere.test/")}); err != nil {
			t.Fatal(err)
		}
		if got := d.FindSite(site); !got.CertWillExpireAt.IsZero() || got.CertAuthority != "" {
			t.Errorf("another address, whose certificate is unknown, expires at %s", got.CertWillExpireAt)
		}
	})
}

// A batch about many sites ends as its reports would one by one.
func TestABatchIsTheSumOfItsReports(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.London)
		var reports []checks.CheckReport
		want := map[sett.UUID]sett.SiteState{}
		var sites []checks.Site
		for i := range 150 {
			site := d.Site(d.ProjectID)
			sites = append(sites, site)
			for minute := range 3 {
				at := storetest.Noon.Add(time.Duration(minute) * time.Minute)
				up := i%3 == 2 || (i%3 == 0) == (minute < 2)
				reports = append(reports, storetest.Look(site, checks.Virginia, at, up), storetest.Look(site, checks.London, at.Add(time.Second), up))
			}
			want[site.ID] = map[bool]sett.SiteState{true: sett.SiteUp, false: sett.SiteDown}[i%3 != 0]
		}
		slices.Reverse(reports)
		kinds := d.Checked(storetest.Noon.Add(3*time.Minute), reports...)
		counts := map[checks.SiteEventKind]int{}
		for _, k := range kinds {
			counts[k]++
		}
		if counts[checks.SiteWentDown] != 100 || counts[checks.SiteCameUp] != 50 {
			t.Errorf("events: %v", counts)
		}
		got := map[sett.UUID]sett.SiteState{}
		for _, site := range sites {
			got[site.ID] = d.FindSite(site).State
			if n := len(d.ChecksOf(site)); n != 6 {
				t.Fatalf("%d checks of a site", n)
			}
		}
		if !maps.Equal(want, got) {
			t.Errorf("states (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}
