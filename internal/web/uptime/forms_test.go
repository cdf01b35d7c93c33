package uptime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/web"
	"sett/internal/web/uptime"
)

// siteForm is what the form of a site sends, with other values for some names.
func siteForm(other ...string) []string {
	fields := []string{
		"url", "https://shop.example.test/", "name", "", "frequency", "5", "match_type", "success", "match", "", "outage_threshold", "", "active", "true",
		"request_method", "GET", "request_headers", "", "request_body", "", "timeout", "30", "validate_ssl", "true",
	}
	return with(fields, other)
}

// checkInForm likewise.
func checkInForm(other ...string) []string {
	return with([]string{
		"name", "", "slug", "", "schedule_type", "simple", "report_period", "1 day", "cron_schedule", "", "cron_timezone", "", "grace_period", "",
	}, other)
}

func with(fields, other []string) []string {
	n := len(fields)
	for i := 0; i < len(other); i += 2 {
		if at := slices.Index(fields[:n], other[i]); at >= 0 && at%2 == 0 {
			fields[at+1] = other[i+1]
		} else {
			fields = append(fields, other[i], other[i+1])
		}
	}
	return fields
}

func TestASiteIsMadeAndChanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Get(d.sites+"/new").Want(200, "Down when 3 of 5 locations fail", `value="30"`)
	made := d.Post(d.sites, siteForm("url", " https://new.example.test/x?y=1 ", "request_headers", "X-A: b: c\r\n\r\nX-B:", "locations", "London", "locations", "Oregon",
		"match_type", "include", "match", "fine", "outage_threshold", "3", "frequency", "15", "timeout", "60", "request_method", "POST", "request_body", "a\r\nb", "slow_after", "800", "slow_checks", "2", "follow_redirects", "true")...)
	path, _, _ := strings.Cut(made.Header.Get("Location"), "?")
	made.Leads(path + "?done=site_made")
	id, err := sett.ParseUUID(strings.TrimPrefix(path, d.sites+"/"))
	if err != nil {
		t.Fatal(err)
	}
	site, err := d.s.App.Store().Uptime.SiteByID(t.Context(), d.s.Setup.ProjectID, id)
	want := checks.SiteSettings{
		Name: "https://new.example.test/x", Frequency: 15, Locations: []checks.Location{checks.London, checks.Oregon}, OutageThreshold: 3, SlowAfter: 800 * time.Millisecond, SlowChecks: 2, Active: true,
		ProbeRequest: checks.ProbeRequest{
			URL: "https://new.example.test/x?y=1", MatchType: checks.MatchInclude, Match: "fine", Method: "POST", Body: "a\nb",
			Headers: []checks.ProbeHeader{{Key: "X-A", Value: "b: c"}, {Key: "X-B"}}, ValidateSSL: true, Timeout: time.Minute, FollowRedirects: true,
		},
	}
	if err != nil || !site.SiteSettings.Equal(want) {
		t.Errorf("%v, made %+v", err, site.SiteSettings)
	}
	d.Get(path+"?done=site_made").Want(200, "Site created.", "Down when 3 checks in a row have failed", "Slow when 2 checks in a row take over 800 ms from 1 of 2 locations.", "page contains “fine”")
	d.Get(path+"/edit").Want(200, "X-A: b: c\nX-B: </textarea>", `value="London" checked`, `<option value="15" selected>`, `value="800"`).CheckPage()
	if page := d.Do("GET", path+"/edit", nil, "Accept-Encoding", "gzip"); page.Header.Get("Content-Encoding") != "" {
		t.Error("a page with secrets is compressed")
	}
	d.Post(path, siteForm("url", "https://new.example.test/", "name", "New", "active", "")...).Leads(path + "?done=saved")
	site, err = d.s.App.Store().Uptime.SiteByID(t.Context(), d.s.Setup.ProjectID, id)
	want = checks.NewSiteSettings()
	want.Name, want.URL, want.Active = "New", "https://new.example.test/", false
	if err != nil || !site.SiteSettings.Equal(want) {
		t.Errorf("%v, changed %+v", err, site.SiteSettings)
	}
	d.Post(path+"/check").Want(422, "not active")
	d.Post(path + "/resume").Leads(path + "?done=site_resumed")
}

func TestSitesAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	for field, c := range map[string]struct{ value, says string }{
		"url":              {"ftp://x", "URL must be a URL that starts with http://, https:// or tcp://."},
		"name":             {strings.Repeat("x", 256), "Name is too long"},
		"frequency":        {"7", "Frequency is not included in the list: 1, 5, 15."},
		"match_type":       {"odd", "A check succeeds when is not included in the list"},
		"match":            {strings.Repeat("x", 256), "Status or text is too long"},
		"outage_threshold": {"many", "Failed checks in a row must be a whole number."},
		"request_method":   {"HEAD", "Request method is not included"},
		"request_headers":  {"Fine: 1\nCon nect: x", "Request headers in line 2 key &#34;Con nect&#34; must be"},
		"request_body":     {strings.Repeat("x", 33<<10), "Request body is too long"},
		"timeout":          {"999", "Timeout must be from 1 to"},
		"locations":        {"Mars", "Locations must be some of Virginia, Oregon, Frankfurt, Singapore, London; &#34;Mars&#34; is none of them."},
	} {
		for _, path := range []string{d.sites, d.sitePath} {
			d.Post(path, siteForm(field, c.value)...).Want(422, `<p class="wrong"`, c.says).CheckPage()
		}
	}
	d.Post(d.sites, siteForm("url", `javascript:alert("1")`, "name", `"><img src=x>`)...).Want(422, "&#34;&gt;&lt;img src=x&gt;").CheckPage()
	site, err := d.s.App.Store().Uptime.SiteByID(t.Context(), d.s.Setup.ProjectID, d.site.ID)
	if err != nil || !site.SiteSettings.Equal(d.site.SiteSettings) {
		t.Errorf("%v: a refused form has changed the site: %+v", err, site)
	}
}

func TestARuleIsShownBeforeItIsSaved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Post(d.sites+"/preview", "url", "https://kept.test", "locations", "London", "locations", "Oregon", "locations", "Virginia", "frequency", "1", "request_body", strings.Repeat("x", 32<<10)).
		Want(200, "Down when 2 of 3 locations fail", `value="https://kept.test"`, `value="Virginia" checked`).CheckPage()
	d.Post(d.sitePath+"/preview", "locations", "London").Want(200, "Down when a check from London fails.")
	d.Post(d.sitePath+"/preview", "outage_threshold", "1").Want(200, "Down when 1 check has failed;")
	d.Post(d.sitePath+"/preview", "outage_threshold", "x", "locations", "Mars").Want(200, "Down when 3 of 5 locations fail")
	d.Post(d.sites + "/01a1f8cd-dc01-7118-8001-4dc309c37652/preview").Want(404)
}

// What a check sends may be secret: it is in no address.
func TestSecretsOfChecksAreInNoAddress(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	for _, path := range []string{d.sites + "/new", d.sitePath + "/edit"} {
		d.Get(path).Want(200, "Preview rule").Lacks(`formmethod="get"`)
	}
	d.Get(d.sites + "/new?url=x&request_headers=sesame").Want(200).Lacks("sesame</textarea>")
}

func TestACheckInIsMadeAndChanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	made := d.Post(d.checkIns, checkInForm("name", "Nightly", "slug", "nightly", "schedule_type", "cron", "cron_schedule", "0 2 * * *", "cron_timezone", "Europe/Berlin", "grace_period", "30 minutes")...)
	path, _, _ := strings.Cut(made.Header.Get("Location"), "?")
	made.Leads(path + "?done=check_in_made")
	d.Get(path).Want(200, "at 02:00 every day, Europe/Berlin, grace 30 minutes", "0 2 * * * /usr/local/bin/job")
	d.Get(path+"/edit").Want(200, `value="0 2 * * *"`, "Slug: <code>nightly</code>", "Thu 19 Nov 2026 02:00 CET").Lacks(`name="schedule_type"`, `name="report_period"`, `name="slug"`).CheckPage()
	d.Post(path, checkInForm("name", "Other", "cron_schedule", "@daily", "schedule_type", "simple")...).Leads(path + "?done=saved")
	d.Get(path).Want(200, "Other", "at 00:00 every day, UTC")
	made = d.Post(d.checkIns, checkInForm("report_period", "90", "cron_schedule", "left over")...)
	path, _, _ = strings.Cut(made.Header.Get("Location"), "?")
	d.Get(path).Want(200, "every 90 minutes", "<h1>Check-in ")
	d.Post(path + "/delete").Leads(d.checkIns + "?done=check_in_deleted")
	d.Get(path).Want(404)
}

func TestCheckInsAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Post(d.checkIns, checkInForm("name", "Twice", "slug", "twice")...).Want(303)
	for _, c := range []struct{ field, value, kind, says string }{
		{"name", "Backup", "simple", "Name has already been taken by another check-in of this project."},
		{"slug", "Not so", "simple", "Slug must be of lower-case letters"},
		{"slug", "twice", "simple", "Slug has already been taken"},
		{"schedule_type", "odd", "odd", "Schedule must be simple or cron."},
		{"report_period", "", "simple", "Period can&#39;t be blank."},
		{"report_period", "2 years", "simple", "Period &#34;2 years&#34; is not a duration; write a number of minutes, hours"},
		{"grace_period", "soon", "simple", "Grace period &#34;soon&#34; is not a duration"},
		{"cron_schedule", "61 * * * *", "cron", "Cron schedule &#34;61 * * * *&#34;: minute 61 is not between 0 and 59."},
		{"cron_timezone", "Berln", "cron", "Time zone &#34;Berln&#34; is no time zone; did you mean Berlin?"},
	} {
		d.Post(d.checkIns, checkInForm("schedule_type", c.kind, c.field, c.value)...).Want(422, `<p class="wrong"`, c.says).CheckPage()
	}
	d.Post(d.checkInPath, checkInForm("report_period", "")...).Want(422, "Period can&#39;t be blank.")
	d.Post(d.checkInPath, checkInForm("name", "Twice")...).Want(422, "Name has already been taken")
	d.Post(d.checkInPath+"/pause", "time", "year").Want(422, "Choose an hour, a day or a week")
}

func TestExpectedTimesAreShownBeforeTheyAreSaved(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Get(d.checkIns+"/new").Want(200, "Thu 19 Nov 2026 10:30 UTC", "Mon 23 Nov 2026 10:30 UTC")
	page := d.Get(d.checkIns+"/new?schedule_type=cron&cron_schedule=30+2+*+*+1&cron_timezone=America%2FNew_York&grace_period=&name=Kept").
		Want(200, "Mon 23 Nov 2026 02:30 EST", "Mon 21 Dec 2026 02:30 EST", `value="Kept"`)
	if n := strings.Count(page.Body, "02:30 EST"); n != 5 {
		t.Errorf("%d times are expected", n)
	}
	d.Get(d.checkIns+"/new?schedule_type=cron&cron_schedule=99+*+*+*+*&grace_period=").Want(200, "minute 99 is not between 0 and 59")
	d.Get(d.checkIns+"/new?schedule_type=cron&cron_schedule=&grace_period=").Want(200, "Fill in the schedule")
	d.Get(d.checkInPath+"/edit?grace_period=&report_period=2+days&schedule_type=cron").Want(200, "Fri 20 Nov 2026 10:30 UTC")
}

// changes uses every route that leaves an entry, in an order in which each succeeds; entry is part of its entry in the audit log.
var changes = []struct {
	name, entry string
	do          func(*desk)
}{
	{"makeSite", `"request_headers":"[hidden]"`, func(d *desk) {
		d.Post(d.sites, siteForm("request_headers", "Authorization: hidden-thing")...).Want(303)
	}},
	{"changeSite", `"name":"Renamed"`, func(d *desk) {
		d.Post(d.sitePath, siteForm("name", "Renamed", "request_body", "hidden-thing")...).Want(303)
	}},
	{"checkSiteNow", `{}`, func(d *desk) { d.Post(d.sitePath + "/check").Want(303) }},
	{"pauseSite", `{}`, func(d *desk) { d.Post(d.sitePath + "/pause").Want(303) }},
	{"resumeSite", `{}`, func(d *desk) { d.Post(d.sitePath + "/resume").Want(303) }},
	{"removeSite", `{}`, func(d *desk) { d.Post(d.sitePath + "/delete").Want(303) }},
	{"makeCheckIn", `"report_period":"1 day"`, func(d *desk) { d.Post(d.checkIns, checkInForm()...).Want(303) }},
	{"changeCheckIn", `"name":"Renamed"`, func(d *desk) { d.Post(d.checkInPath, checkInForm("name", "Renamed")...).Want(303) }},
	{"pauseCheckInFor", `"time":"week"`, func(d *desk) { d.Post(d.checkInPath+"/pause", "time", "week").Want(303) }},
	{"endCheckInPause", `{}`, func(d *desk) { d.Post(d.checkInPath + "/unpause").Want(303) }},
	{"startMaintenance", `"reason":"Upgrade"`, func(d *desk) { d.Post(d.maintenance(), "reason", "Upgrade").Want(303) }},
	{"changeMaintenance", `"reason":"Move"`, func(d *desk) { d.Post(d.maintenance()+"/1", "reason", "Move").Want(303) }},
	{"endMaintenance", `{}`, func(d *desk) { d.Post(d.maintenance() + "/1/end").Want(303) }},
	{"removeMaintenance", `{}`, func(d *desk) {
		if err := d.s.App.Store().Deliveries.SettleMaintenance(context.Background(), d.s.Clock.Now()); err != nil {
			panic(err)
		}
		d.Post(d.maintenance() + "/1/delete").Want(303)
	}},
	{"removeCheckIn", `{}`, func(d *desk) { d.Post(d.checkInPath + "/delete").Want(303) }},
}

// Every form writes one audit entry, without secrets.
func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	used := map[string]bool{}
	for _, c := range changes {
		d.s.Clock.Push(time.Minute)
		c.do(d)
		var list struct {
			Results []struct {
				Action  string
				User    sett.Person
				Changes json.RawMessage
			}
		}
		answer := d.s.Get(fmt.Sprintf("/v2/accounts/%s/audit_log?created_after=%d", d.s.Setup.AccountID, d.s.Clock.Now().Unix()))
		if answer.Into(&list); len(list.Results) != 1 || list.Results[0].Action != c.name || list.Results[0].User.Email != "ann@example.test" {
			t.Fatalf("%s: entries %s", c.name, answer.Body)
		}
		if !strings.Contains(string(list.Results[0].Changes), c.entry) || strings.Contains(string(answer.Body), "hidden-thing") {
			t.Errorf("the entry of %s is %s", c.name, list.Results[0].Changes)
		}
		used[c.name] = true
	}
	for _, route := range uptime.Area(new(web.Pages)).Routes {
		if route.Method == http.MethodPost && !used[route.Name] && !strings.HasPrefix(route.Name, "preview") {
			t.Errorf("%s may change something: add it to changes", route.Name)
		}
	}
}
