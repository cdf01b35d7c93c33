package statusadmin_test

import (
	"strings"
	"testing"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/sett/status"
)

func TestSettingsOfAPage(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	edit := v.base + "/edit"
	v.Post(edit, "name", "Store", "slug", "store", "hide_branding", "true", "automatic_incidents", "true", "response_times", "true", "search_engine_indexing_disabled", "true",
		"features.home_link", "https://example.org", "features.up_caption", "Up!", "features.custom_css", "h1 { color: teal }").Leads(edit + "?done=saved")
	v.wantEntry("saveStatusPage")
	want := status.StatusFeatures{HomeLink: "https://example.org", UpCaption: "Up!", CustomCSS: "h1 { color: teal }"}
	if p := v.stored(); p.Name != "Store" || p.Slug != "store" || !p.HideBranding || !p.AutoIncidents || !p.ResponseTimes || !p.Unlisted || p.Features != want || len(p.Components) != 1 {
		t.Errorf("saved: %+v", p)
	}
	v.Post(edit, "name", "Store").Leads(edit + "?done=saved")
	if p := v.stored(); p.HideBranding || p.AutoIncidents || p.ResponseTimes || p.Unlisted || p.Features != (status.StatusFeatures{}) || p.Slug != "store" {
		t.Errorf("unticked and emptied: %+v", p)
	}
	got := v.Post(edit, "name", strings.Repeat("x", 256), "features.home_link", "javascript:alert(1)", "features.custom_css", "<b>", "hide_branding", "true")
	got.CheckPage().Want(422, "Name is too long (maximum is 255 characters).", "Logo link must be a URL", "Custom CSS must not contain the character &lt;.",
		`value="javascript:alert(1)"`, `name="hide_branding" type="checkbox" value="true" checked`)
	if v.stored().Name != "Store" {
		t.Error("what was refused is saved")
	}
}

func TestWhatAPageShows(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	site, job := "site:"+v.site, "check_in:"+v.job
	var other struct{ ID string }
	v.s.Post("/v2/projects/"+v.project()+"/sites", `{"site":{"url":"https://blog.example.org/","name":"Blog"}}`).Want(201).Into(&other)
	blog := "site:" + other.ID
	v.s.Clock.Push(time.Minute)
	at := v.base + "/components"
	shown := func(want ...string) {
		t.Helper()
		var got []string
		for _, c := range v.stored().Components {
			text := c.CheckInID
			if c.IsSite() {
				text = c.SiteID.String()
			}
			got = append(got, text+" "+c.DisplayName)
		}
		if strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("shown are %v, want %v", got, want)
		}
	}
	v.Post(at, "component", site, "display_name", "Front", "description", "", "do", "add", "add", blog).Leads(v.base + "/edit?done=saved")
	v.wantEntry("saveComponents")
	shown(v.site+" Front", other.ID+" ")
	both := []string{"component", site, "component", blog, "display_name", "Front", "display_name", "Words", "description", "", "description", "Daily"}
	v.Post(at, append(both, "do", "up 1")...).Leads(v.base + "/edit?done=saved")
	shown(other.ID+" Words", v.site+" Front")
	v.Post(at, append(both, "do", "down 0")...).Leads(v.base + "/edit?done=saved")
	shown(other.ID+" Words", v.site+" Front")
	for _, nothing := range []string{"up 0", "down 1", "up 9", "down -1", "up x", "save", "", "add"} {
		v.Post(at, append(both, "do", nothing)...).Leads(v.base + "/edit?done=saved")
		shown(v.site+" Front", other.ID+" Words")
	}
	v.Post(at, append(both, "do", "add", "add", job)...).Leads(v.base + "/edit?done=saved")
	shown(v.site+" Front", other.ID+" Words", v.job+" ")
	v.Post(at, append(both, "do", "remove 0")...).Leads(v.base + "/edit?done=saved")
	shown(other.ID + " Words")
	v.Post(at, "component", blog, "display_name", strings.Repeat("x", 256), "description", "").CheckPage().Want(422, "display name is too long")
	v.Post(at, "component", "site:nonsense", "display_name", "", "description", "").Want(422, "must be the id of a site")
	shown(other.ID + " Words")
	v.Post(at).Leads(v.base + "/edit?done=saved")
	shown()
}

func TestTheDomainOfAPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	v := newScene(t)
	edit := v.base + "/edit"
	v.Post(v.base+"/domain/verify").Want(422, "This status page has no domain.").CheckPage()
	v.Post(v.base+"/domain", "domain", "https://x.test").CheckPage().Want(422, "Domain must be only a name, without http:// or https://", `value="https://x.test"`)
	v.Post(v.base+"/domain", "domain", "Status.Example.org").Leads(edit + "?done=saved")
	v.wantEntry("saveDomain")
	v.Get(edit).Want(200, "status.example.org", "_sett.status.example.org", "sett-domain-verification=", "Pending").CheckPage()
	v.Post(v.base + "/domain/verify").Leads(edit + "?done=looking")
	v.wantEntry("lookForDomain")
	v.Post(v.base+"/domain", "domain", "").Leads(edit + "?done=saved")
	if d := v.stored().Domain; d.Name != "" {
		t.Errorf("the domain is still %+v", d)
	}
}

func TestThePasswordOfAPage(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	v.Post(v.base+"/password", "password", "short").CheckPage().Want(422, "New password must have from 8 to 200 characters").Lacks(`value="short"`)
	v.Post(v.base+"/password", "password", "let me in").Leads(v.base + "/edit?done=page_locked")
	v.wantEntry("savePagePassword")
	if !auth.CheckPassword(v.stored().PasswordHash, "let me in") {
		t.Error("the password does not open the page")
	}
	v.Get(v.base+"/edit").Want(200, "Remove password")
	v.Post(v.base + "/password/remove").Leads(v.base + "/edit?done=page_unlocked")
	v.wantEntry("removePagePassword")
	if v.stored().PasswordHash != "" {
		t.Error("there is still a password")
	}
}
