package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// What a change ignores is said, and refused where no contract wants it accepted.
func TestIgnoredFieldsAreNamed(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	project := fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)
	site := sitesPath(s, "/"+createSite(t, s).ID)
	for _, tt := range []struct{ method, path, body, ignored string }{
		{"PUT", site, `{"site":{"name":"Shop"}}`, ""},
		{"PUT", site, `{"site":{"NAME":"Shop"}}`, ""},
		{"PUT", site, `{"site":{"state":"up","timeout":20,"nmae":"x"}}`, "site.nmae, site.state"},
		{"PUT", site, `{"site":{"request_headers":[{"key":"A","value":"b","secret":true}]},"extra":1}`, "extra, site.request_headers[].secret"},
		{"PUT", site, `{"site":{"a\"\\\r\nB":1}}`, "site.arnB"},
		{"PUT", site, `{"site":{` + strings.Repeat(`"x":1,`, 3) + `"` + strings.Repeat("y", 100) + `":1}}`, "site.x, site." + strings.Repeat("y", 55)},
		{"PUT", project, `{"project":{"id":7,"owner":{"id":1}}}`, "project.id, project.owner"},
		{"POST", project + "/check_ins", `{"check_in":{"name":"Backup","report_period":"1 day","state":"pending","url":"x"}}`, "check_in.state, check_in.url"},
		{"PUT", project + "/check_ins", `{"check_ins":[{"slug":"a","report_period":"1 day","id":"x"},{"slug":"b","report_period":"1 day","id":"y"}]}`, "check_ins[].id"},
	} {
		r := s.Do(tt.method, tt.path, tt.body)
		want := ""
		if tt.ignored != "" {
			want = `299 - "unknown or read-only, and ignored: ` + tt.ignored + `"`
		}
		if got := r.Header.Get("Warning"); got != want || r.Status >= 300 {
			t.Errorf("%s %s: %d, %q, want %q", tt.method, tt.body, r.Status, got, want)
		}
	}
	var many []string
	for n := range 14 {
		many = append(many, fmt.Sprintf(`"f%02d":1`, n))
	}
	if got := s.Put(site, `{"site":{`+strings.Join(many, ",")+`}}`).Header.Get("Warning"); !strings.HasSuffix(got, `site.f09, and 4 more"`) {
		t.Error(got)
	}

	windows := project + "/maintenance_windows"
	made := s.Post(windows, `{"maintenance_window":{"reason":"Upgrade","ends_at":null,"id":5,"state":"active"}}`).Want(http.StatusCreated)
	if got := made.Header.Get("Warning"); !strings.Contains(got, "maintenance_window.id, maintenance_window.state") {
		t.Errorf("what is read may be sent back: %q", got)
	}
	refused := s.Post(windows, `{"maintenance_window":{"reason":"Upgrade","until":"tomorrow"}}`).Want(http.StatusUnprocessableEntity)
	if text := refused.Errors(); text != `Please correct: "until" is unknown.` {
		t.Error(text)
	}
}

// Actions without a wrapping: those of the contract name what they ignore, and those that only sett has refuse it.
func TestIgnoredFieldsOfActions(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	project := fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)
	fault := faultsPath(s, fmt.Sprintf("/%d", notify(t, s, "A", "production").ID))
	checkIn := s.Post(project+"/check_ins", `{"check_in":{"name":"Backup","report_period":"1 day"}}`).Want(http.StatusCreated)
	var made struct{ ID string }
	checkIn.Into(&made)
	paused := s.Post(fault+"/pause", `{"time":"hour","untill":1}`).Want(http.StatusOK)
	if got := paused.Header.Get("Warning"); !strings.HasSuffix(got, ` untill"`) {
		t.Errorf("a pause warns %q", got)
	}
	for path, body := range map[string]string{
		project + "/faults/bulk":                     `{"action":"resolve","fault_ids":[1],"pausee":{}}`,
		fault + "/merge":                             `{"into_id":1,"pausee":1}`,
		project + "/check_ins/" + made.ID + "/pause": `{"time":"hour","pausee":1}`,
		fault + "/issue":                             `{"channel_id":1,"pausee":1}`,
	} {
		if text := s.Post(path, body).Want(http.StatusUnprocessableEntity).Errors(); text != `Please correct: "pausee" is unknown.` {
			t.Errorf("%s: %s", path, text)
		}
	}
}

// Ids of sites are read in either case, in paths and in lists.
func TestIDsOfSitesIgnoreCase(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	id := createSite(t, s).ID
	loud := strings.ToUpper(id)
	s.Get(sitesPath(s, "/"+loud)).Want(http.StatusOK)
	project := fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)
	body := fmt.Sprintf(`{"integration":{"type":"WebHook","options":{"url":"https://example.org/hook"},"site_ids":[%q,%q]}}`, loud, id)
	if got := fmt.Sprint(s.Post(project+"/integrations", body).Want(http.StatusCreated).JSON()["site_ids"]); got != "["+id+"]" {
		t.Errorf("the integration has %s", got)
	}
	body = fmt.Sprintf(`{"maintenance_window":{"reason":"x","ends_at":"","site_ids":[%q]}}`, loud)
	if got := fmt.Sprint(s.Post(project+"/maintenance_windows", body).Want(http.StatusCreated).JSON()["site_ids"]); got != "["+id+"]" {
		t.Errorf("the window has %s", got)
	}
}
