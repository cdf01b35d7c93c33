package uptime_test

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

// portForm is what the form of a TCP site sends.
func portForm(other ...string) []string {
	return with([]string{
		"check_type", "tcp", "url", "db.example.test:5432", "name", "Database", "frequency", "5", "outage_threshold", "", "active", "true", "timeout", "10",
	}, other)
}

func TestATCPSiteIsMadeAndChanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	hidden := []string{`name="match_type"`, `name="match"`, `name="request_method"`, `name="request_headers"`, `name="request_body"`, `name="validate_ssl"`, `name="follow_redirects"`}
	d.Get(d.sites+"/new").Want(200, `href="`+d.sites+`/new?type=tcp"`, `name="match_type"`, `name="validate_ssl"`).CheckPage()
	d.Get(d.sites+"/new?type=tcp").Want(200, "Host and port, for example tcp://", `name="check_type" value="tcp"`, `name="timeout"`).Lacks(hidden...).CheckPage()
	d.Get(d.sites+"/new?type=odd").Want(200, `name="check_type" value="http"`)

	made := d.Post(d.sites, portForm()...)
	path, _, _ := strings.Cut(made.Header.Get("Location"), "?")
	made.Leads(path + "?done=site_made")
	id, err := sett.ParseUUID(strings.TrimPrefix(path, d.sites+"/"))
	if err != nil {
		t.Fatal(err)
	}
	want := checks.NewSiteSettings()
	want.Name, want.URL, want.Timeout = "Database", "tcp://db.example.test:5432", 10*time.Second
	stored := func(when string) {
		t.Helper()
		site, err := d.s.App.Store().Uptime.SiteByID(t.Context(), d.s.Setup.ProjectID, id)
		if err != nil || !site.SiteSettings.Equal(want) {
			t.Errorf("%s: %v, %+v", when, err, site.SiteSettings)
		}
	}
	stored("made")
	d.Get(path).Want(200, "tcp://db.example.test:5432 · every 5 minutes · port accepts connections").Lacks("GET tcp", `href="tcp:`, "Certificate")
	d.Get(d.sites).Want(200, "tcp://db.example.test:5432").Lacks(`href="tcp:`)
	d.Get(path+"/edit").Want(200, `value="tcp://db.example.test:5432"`, `name="check_type" value="tcp"`).Lacks(hidden...).Lacks("?type=").CheckPage()
	d.Post(path + "/pause").Leads(path + "?done=site_paused")
	d.Post(path + "/resume").Leads(path + "?done=site_resumed")
	stored("paused and resumed")
	d.Post(path, portForm("url", "https://db.example.test/")...).Leads(path + "?done=saved")
	want.URL = "https://db.example.test/"
	stored("as an HTTP site")
}

func TestTCPSitesAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.Post(d.sites, portForm("url", "db.example.test")...).Want(422, "Address must have a port, such as tcp://db.example.org:5432.", `value="db.example.test"`).CheckPage()
	d.Post(d.sites, portForm("url", "tcp://db.example.test:0")...).Want(422, "Address must have a port from 1 to 65535.")
	d.Post(d.sites, portForm("url", "")...).Want(422, "Address can&#39;t be blank.", `name="check_type" value="tcp"`)

	// What the form of an HTTP site says stays on the form, so that people can take it back.
	d.Post(d.sitePath, siteForm("url", "tcp://shop.example.test:443", "match_type", "include", "match", "fine")...).
		Want(422, "A check succeeds when must be left at the default because a TCP check only opens a connection", `name="match_type"`, `value="fine"`).
		Lacks(`name="request_body"`, `name="validate_ssl"`).CheckPage()
	d.Post(d.sitePath, siteForm("url", "tcp://shop.example.test:443", "check_type", "tcp")...).Leads(d.sitePath + "?done=saved")
}
