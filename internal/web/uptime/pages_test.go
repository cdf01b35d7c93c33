package uptime_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/store/uptimedb"
	"sett/internal/web"
	"sett/internal/web/uptime"
)

// pathsOf returns the path of every page of the room.
func (d *desk) pathsOf() (paths []string) {
	ids := strings.NewReplacer("/projects/{project_id}/sites", d.sites, "/projects/{project_id}/check_ins", d.checkIns, "{site_id}", d.site.ID.String(), "{check_in_id}", d.checkIn.ID, "/projects/{project_id}/maintenance", d.maintenance(), "{window_id}", "1")
	for _, route := range uptime.Area(new(web.Pages)).Routes {
		if route.Method == http.MethodGet && route.Media == "text/html" {
			paths = append(paths, ids.Replace(route.Path))
		}
	}
	return paths
}

func TestEveryPageIsShown(t *testing.T) {
	t.Parallel()
	for name, role := range map[string]accounts.Role{"owner": accounts.Owner, "member": accounts.Member} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, role, true)
			d.Post(d.maintenance(), "reason", "<b>Upgrade", "zone", "UTC", "ends_at", "").Leads(d.maintenance() + "?done=maintenance_started")
			for _, path := range d.pathsOf() { // without any data
				d.Get(path).Want(200).CheckPage()
			}
			took := int64(842_000)
			d.pinged(&checks.PingPayload{Status: "success", Duration: &took, Stdout: "<script>saved</script>"})
			d.s.Clock.Push(time.Hour)
			d.pinged(&checks.PingPayload{Status: "error", Duration: &took})
			d.checked(40, 30, 31)
			for _, path := range append(d.pathsOf(), d.sitePath+"?span=week", d.sitePath+"?span=month", d.sitePath+"?span=x") {
				d.Get(path).Want(200).CheckPage().Lacks("<script>saved", "<b>", "<nginx>", "<h1>Sorry")
			}
		})
	}
}

// A page shows a run that has not ended, and why one was missed.
func TestPagesShowRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Get(d.checkInPath).Lacks("Running since")
	_, err := d.s.App.Store().Uptime.RecordPings(t.Context(), []uptimedb.PingReport{
		{ID: d.checkIn.ID, Ping: checks.Ping{At: d.s.Clock.Now(), Payload: &checks.PingPayload{Status: "success", Environment: "<b>staging", Release: "shop@1"}}},
		{ID: d.checkIn.ID, Ping: checks.Ping{At: d.s.Clock.Now(), Run: run.Report{Started: true}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Get(d.checkIns).Want(200).CheckPage().Want(200, "Running since")
	d.Get(d.checkInPath).CheckPage().Want(200, "Running since", "It must end by", "Environment: &lt;b&gt;staging", "Release: shop@1")
	d.s.Clock.Push(time.Hour)
	if _, _, err := d.s.App.Store().Uptime.SweepCheckIns(t.Context(), d.s.Clock.Now(), 10); err != nil {
		t.Fatal(err)
	}
	d.Get(d.checkInPath).Want(200).CheckPage().Lacks("Running since").Want(200, "has not ended within 30 minutes.", "Missing")
}

func TestStrangersSeeNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, false)
	for _, path := range append(d.pathsOf(), d.sitePath+"/outages.csv") {
		d.Get(path).Want(404)
	}
	for _, path := range []string{"", "/1", "/1/end", "/1/delete"} {
		d.Post(d.maintenance() + path).Want(404)
	}
	for _, path := range []string{"/check", "/pause", "/resume", "/delete", ""} {
		d.Post(d.sitePath + path).Want(404)
	}
	for _, path := range []string{"/pause", "/unpause", "/delete", ""} {
		d.Post(d.checkInPath + path).Want(404)
	}
}

// A site whose address the settings forbid is not down: its page says what to change.
func TestABlockedAddressIsNoOutage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.reported(checks.CheckReport{SiteID: d.site.ID, Location: checks.Virginia, Revision: d.site.Revision, Result: checks.ProbeResult{
		At: d.s.Clock.Now(), Blocked: true, Reason: "Connections to 127.0.0.1, a loopback address, are not allowed",
	}})
	d.Get(d.sites).Want(200, "Pending", "the last 0 checks: 0 failed")
	d.Get(d.sitePath).Want(200, "Pending", "allowed to reach the address", "Berlin: Connections to 127.0.0.1, a loopback address, are not allowed.", "No outages")
	d.checked(1)
	if page := d.Get(d.sitePath).Want(200, "Up</span>").Body; strings.Contains(page, "settings forbid") {
		t.Error("after a check, the page says that there is none")
	}
}

// The reader of a page does not take the end of an authority's certificate for the end of the site's own.
func TestAPageNamesTheAuthorityWhoseCertificateEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Owner, true)
	d.checked(1)
	d.Get(d.sitePath).Want(200).Lacks("authority")
	now := d.s.Clock.Now()
	d.reported(checks.CheckReport{SiteID: d.site.ID, Location: checks.Virginia, Revision: d.site.Revision, Result: checks.ProbeResult{
		At: now.Add(-time.Millisecond), Up: true, Status: 200, Certificate: &checks.ProbeCertificate{Fingerprint: "bb", NotAfter: now.AddDate(0, 0, 5), Authority: "<b>Deputy"},
	}})
	d.Get(d.sitePath).Want(200, "of the authority", "the authority “&lt;b&gt;Deputy”", "Renew the site").CheckPage()
}

func TestAListShowsHowSitesDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Get(d.sites).Want(200, "Pending", "Last outage", "the last 0 checks: 0 failed")
	d.checked(35, 30)
	d.Get(d.sites).Want(200, "Up</span>", "the last 30 checks: 1 failed, 0 slow", "120 ms", "97.14%", "61 days", "=Expected 2xx &lt;b&gt;", "lasted 1 min")
	d.checked(1, 0)
	d.Get(d.sites).Want(200, "Down</span>", "ongoing for ")
	d.Post(d.sitePath + "/pause").Leads(d.sitePath + "?done=site_paused")
	d.Get(d.sites).Want(200, "Paused</span>").Lacks("Down</span>")
	d.Post(d.sitePath + "/delete").Leads(d.sites + "?done=site_deleted")
	d.Get(d.sites).Want(200, "No sites yet", d.sites+"/new")
}

func TestASiteIsLookedAt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.checked(70, 60, 61)
	d.Get(d.sitePath).Want(200, "GET https://shop.example.test/health · every minute · status is 2xx", "Up for", "120 / 120 ms", "97.14%", "61 days",
		"the last 60 checks: 2 failed", "Down when a check from Berlin fails.", "=Expected 2xx &lt;b&gt;", "&lt;nginx&gt;", "&lt;h1&gt;Sorry", "Berlin", `class="band"`, "Response time").
		Lacks("<dt>Oregon", "No checks from")
	csv := d.Get(d.sitePath+"/outages.csv").Want(200, "down_at,up_at,seconds,reason,status,location\n", ",120,'=Expected 2xx <b>,503,Berlin\n")
	if kind := csv.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
		t.Errorf("Content-Type: %s", kind)
	}
	for _, id := range []string{"x", strings.Replace(d.site.ID.String(), "-", "0", 1)} {
		d.Get(d.sites + "/" + id).Want(404)
	}
	d.Get(d.sites+"/"+strings.ToUpper(d.site.ID.String())).Want(200, "GET https://shop.example.test/health", d.sitePath)
	d.Get(d.checkIns + "/nothing").Want(404)
}

func TestAListShowsHowJobsDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Get(d.checkIns).Want(200, "Pending", "never", "every hour, grace 20 minutes", "the last 0 runs")
	took := int64(842_000)
	d.pinged(&checks.PingPayload{Status: "success", Duration: &took})
	d.Get(d.checkIns).Want(200, "On time", "14 min 2 s", "in 1 h", "the last 1 runs: 0 missed, 0 failed")
	d.s.Clock.Push(time.Hour + 9*time.Minute)
	d.Get(d.checkIns).Want(200, "Late", "in grace, 12 min left")
	d.s.Clock.Push(time.Hour)
	if _, _, err := d.s.App.Store().Uptime.SweepCheckIns(t.Context(), d.s.Clock.Now(), 10); err != nil {
		t.Fatal(err)
	}
	d.Get(d.checkIns).Want(200, "Missing", " missed</td>", " missed, 0 failed")
}

func TestACheckInIsLookedAt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	address := d.s.App.BaseURL() + "/v1/check_in/" + d.checkIn.ID
	d.Get(d.checkInPath).Want(200, address, "systemd timer", "sett run --server", "Nothing is expected before the first ping", "No pings yet")
	if page := d.Do("GET", d.checkInPath, nil, "Accept-Encoding", "gzip"); page.Header.Get("Content-Encoding") != "" {
		t.Error("a page with a secret is compressed")
	}
	for i := range 3 {
		took, exit := int64(1000*(i+1)), 0
		d.pinged(&checks.PingPayload{Status: "success", Duration: &took, ExitCode: &exit, Stdout: "saved <it>"})
		d.s.Clock.Push(time.Hour)
	}
	d.Get(d.checkInPath).Want(200, "saved &lt;it&gt;", "Run time", `class="line s1"`, "Wed 18 Nov 14:30 UTC", "the last 3 runs: 0 missed, 0 failed", "90 days")
	d.Post(d.checkInPath+"/pause", "time", "day").Leads(d.checkInPath + "?done=check_in_paused")
	d.Get(d.checkInPath).Want(200, "Paused", "pause ends in 24 h", ">Resume</button>", "Nothing is expected while the check-in is paused")
	d.Post(d.checkInPath + "/unpause").Leads(d.checkInPath + "?done=check_in_resumed")
	d.Get(d.checkInPath).Want(200, "Pending").Lacks(">Resume</button>")
	exit := 3
	d.pinged(&checks.PingPayload{ExitCode: &exit, Stderr: "no space left"})
	d.Get(d.checkInPath).Want(200, "Failing", "</span> Failed</span>", "no space left", "1 failed")
	d.Get(d.checkIns).Want(200, "Failing")
}
