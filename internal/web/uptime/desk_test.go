package uptime_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
	"sett/internal/store/uptimedb"
)

// desk is a server with a site and a check-in that have a history, and the browser of a user.
type desk struct {
	*visitor.Browser
	s               *setttest.Server
	site            checks.Site
	checkIn         checks.CheckIn
	sites, checkIns string // paths of the lists
	sitePath        string
	checkInPath     string
	took            time.Duration // of checks
}

const password = "seven lonely walruses"

// newDesk returns a desk whose browser belongs to a user of the role; inTeam says whether the project is one of theirs.
func newDesk(t *testing.T, role accounts.Role, inTeam bool) *desk {
	t.Helper()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.LocationLabels = checks.LocationLabels{checks.Virginia: "Berlin"} })
	d := &desk{Browser: visitor.New(t, s), s: s, took: 120 * time.Millisecond}
	st, id := s.App.Store(), s.Setup.ProjectID
	user, err := st.Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: "ann@example.test", Name: "Ann", Role: role, Password: setttest.PasswordCost.Hash(password),
	})
	if err == nil && inTeam {
		_, err = st.Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{id}, map[int64]bool{user: false})
	}
	if err == nil {
		d.site, err = st.Uptime.CreateSite(t.Context(), s.Clock.Now(), id, checks.SiteChange{Name: sett.Some("Shop"), URL: sett.Some("https://shop.example.test/health"), Frequency: sett.Some(int64(1))})
	}
	if err == nil {
		d.checkIn, err = st.Uptime.CreateCheckIn(t.Context(), s.Clock.Now(), id, checks.CheckInChange{
			Name: sett.Some("Backup"), Slug: sett.Some("backup"), ReportPeriod: sett.Some(checks.PeriodText("1 hour")), GracePeriod: sett.Some(checks.PeriodText("20 minutes")),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	d.sites, d.checkIns = fmt.Sprintf("/projects/%d/sites", id), fmt.Sprintf("/projects/%d/check_ins", id)
	d.sitePath, d.checkInPath = d.sites+"/"+d.site.ID.String(), d.checkIns+"/"+d.checkIn.ID
	d.SignIn("ann@example.test", password)
	return d
}

// checked records checks from Virginia, one a minute; those of the numbers fail.
func (d *desk) checked(n int, failed ...int) {
	d.T.Helper()
	failing := map[int]bool{}
	for _, i := range failed {
		failing[i] = true
	}
	for i := range n {
		d.s.Clock.Push(time.Minute)
		now := d.s.Clock.Now()
		if _, err := d.s.App.Store().Uptime.Occupy(d.T.Context(), now, checks.Virginia, "test", false, checks.AgentSilence); err != nil {
			d.T.Fatal(err)
		}
		r := checks.CheckReport{SiteID: d.site.ID, Location: checks.Virginia, Revision: d.site.Revision, Result: checks.ProbeResult{
			At: now.Add(-time.Second), Duration: d.took, Up: true, Status: 200,
			Certificate: &checks.ProbeCertificate{Fingerprint: "aa", NotAfter: now.AddDate(0, 0, 61).Add(time.Hour)},
		}}
		if failing[i] {
			r.Result.Up, r.Result.Status, r.Result.Reason, r.Result.Body = false, 503, "=Expected 2xx <b>", []byte("<h1>Sorry</h1>")
			r.Result.Headers = map[string]string{"server": "<nginx>"}
		}
		d.reported(r)
	}
}

// reported records a check.
func (d *desk) reported(r checks.CheckReport) {
	d.T.Helper()
	if _, err := d.s.App.Store().Uptime.RecordChecks(d.T.Context(), d.s.Clock.Now(), []checks.CheckReport{r}); err != nil {
		d.T.Fatal(err)
	}
}

// pinged records pings now.
func (d *desk) pinged(payload *checks.PingPayload) {
	d.T.Helper()
	_, err := d.s.App.Store().Uptime.RecordPings(d.T.Context(), []uptimedb.PingReport{{ID: d.checkIn.ID, Ping: checks.Ping{At: d.s.Clock.Now(), Payload: payload}}})
	if err != nil {
		d.T.Fatal(err)
	}
}
