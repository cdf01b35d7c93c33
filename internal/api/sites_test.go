package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

func sitesPath(s *setttest.Server, rest string) string {
	return projectPath(s.Setup.ProjectID, "/sites"+rest)
}

func withSite(fields map[string]any) map[string]any { return map[string]any{"site": fields} }

const shopURL = "https://shop.example.test/health"

// createSite makes a site of the server's project that is checked every minute.
func createSite(t *testing.T, s *setttest.Server) (site api.Site) {
	t.Helper()
	s.Post(sitesPath(s, ""), withSite(map[string]any{"url": shopURL, "frequency": 1})).Want(http.StatusCreated).Into(&site)
	return site
}

// live makes locations live for five minutes.
func live(t *testing.T, s *setttest.Server, locations ...checks.Location) {
	t.Helper()
	now := s.Clock.Now()
	for _, l := range locations {
		if held, err := s.App.Store().Uptime.Occupy(t.Context(), now, l, "test", false, 5*time.Minute); err != nil || !held {
			t.Fatalf("%s is not live: %v", l, err)
		}
	}
}

// checked records what Virginia found of a site just now.
func checked(t *testing.T, s *setttest.Server, site api.Site, result checks.ProbeResult) {
	t.Helper()
	id, err := sett.ParseUUID(site.ID)
	if err != nil {
		t.Fatal(err)
	}
	have, err := s.App.Store().Uptime.SiteByID(t.Context(), s.Setup.ProjectID, id)
	if err != nil {
		t.Fatal(err)
	}
	result.At = s.Clock.Now()
	s.Clock.Push(time.Second)
	report := checks.CheckReport{SiteID: id, Location: checks.Virginia, Revision: have.Revision, Result: result}
	if _, err := s.App.Store().Uptime.RecordChecks(t.Context(), s.Clock.Now(), []checks.CheckReport{report}); err != nil {
		t.Fatal(err)
	}
}

// fine is the result of a check that finds a site as it should be.
func fine(took time.Duration) checks.ProbeResult {
	return checks.ProbeResult{Up: true, Status: 200, Duration: took}
}

func TestASiteFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		made, got := createSite(t, s), api.Site{}
		path := sitesPath(s, "/"+made.ID)
		want := api.Site{
			ID: made.ID, Name: shopURL, URL: shopURL, Active: true, State: "pending", Frequency: 1, MatchType: "success", RequestMethod: "GET",
			RequestHeaders: []checks.ProbeHeader{}, Locations: []checks.Location{}, LiveLocations: []checks.Location{}, ValidateSSL: true,
			Timeout: 30, DetailsURL: fmt.Sprintf("%s/projects/%d/sites/%s", s.Base, s.Setup.ProjectID, made.ID),
		}
		s.Get(path).Into(&got)
		if diff := cmp.Diff([]api.Site{want, want}, []api.Site{made, got}); diff != "" {
			t.Errorf("made and read (-want +got):\n%s", diff)
		}

		s.Put(path, `{"site":{"name":"Shop","url":"http://ann:open@shop.example.test:8080/","frequency":15,"match_type":"include","match":"Welcome",
			"request_method":"POST","request_body":"{}","request_headers":[{"key":"X-Probe","value":"1"},{"key":"Accept","value":""}],
			"locations":["London","Oregon","London"],"validate_ssl":false,"outage_threshold":3,"active":false,"timeout":120,"follow_redirects":true,
			"id":"x","state":"up","live_locations":7}}`).Want(http.StatusNoContent)
		match, threshold := "Welcome", int64(3)
		want = api.Site{
			ID: made.ID, Name: "Shop", URL: "http://********@shop.example.test:8080/", State: "pending", Frequency: 15, MatchType: "include",
			Match: &match, RequestMethod: "POST", RequestBody: "{}", RequestHeaders: []checks.ProbeHeader{{Key: "X-Probe", Value: "1"}, {Key: "Accept"}},
			Locations: []checks.Location{checks.London, checks.Oregon}, LiveLocations: []checks.Location{}, OutageThreshold: &threshold, Timeout: 120, FollowRedirects: true,
			DetailsURL: made.DetailsURL,
		}
		if s.Get(path).Into(&got); cmp.Diff(want, got) != "" {
			t.Errorf("changed (-want +got):\n%s", cmp.Diff(want, got))
		}
		s.Put(path, withSite(map[string]any{"locations": []string{}})).Want(http.StatusNoContent)
		s.Put(path, `{"site":{"name":null,"frequency":null,"match_type":null,"match":null,"request_method":null,"request_body":null,
			"request_headers":null,"locations":null,"validate_ssl":null,"outage_threshold":null,"active":null,"timeout":null,
			"follow_redirects":null}}`).Want(http.StatusNoContent)
		want = made
		want.Name, want.URL, want.Frequency = "http://shop.example.test:8080/", "http://********@shop.example.test:8080/", 5
		if s.Get(path).Into(&got); cmp.Diff(want, got) != "" {
			t.Errorf("reset (-want +got):\n%s", cmp.Diff(want, got))
		}

		s.Delete(path).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{
			s.Do("GET", path, nil), s.Delete(path), s.Put(path, "{"), s.Do("GET", path+"/outages?limit=x", nil),
			s.Do("GET", path+"/uptime_checks?limit=x", nil), s.Do("GET", path+"/uptime?from=x", nil),
		} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Site not found" {
				t.Errorf("deleted: %s", text)
			}
		}
	})
}

// What clients decode strictly (wire.md §1.4) has its type even when there is nothing to say.
func TestASiteHasEveryField(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	site := s.Get(sitesPath(s, "/"+createSite(t, s).ID)).JSON()
	delete(site, "id")
	delete(site, "details_url")
	want := map[string]any{
		"name": shopURL, "url": shopURL, "active": true, "state": "pending", "last_checked_at": nil, "frequency": 1.0, "match_type": "success",
		"match": nil, "request_method": "GET", "request_body": "", "request_headers": []any{}, "locations": []any{}, "live_locations": []any{},
		"validate_ssl": true, "outage_threshold": nil, "timeout": 30.0, "follow_redirects": false, "cert_will_expire_at": nil,
	}
	if diff := cmp.Diff(want, site); diff != "" {
		t.Errorf("a site (-want +got):\n%s", diff)
	}
}

// A location without a live agent is kept, and the answer says so.
func TestLiveLocationsOfASite(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		all := createSite(t, s)
		live(t, s, checks.Singapore, checks.Virginia)
		var some api.Site
		s.Post(sitesPath(s, ""), withSite(map[string]any{"url": shopURL, "locations": []string{"Singapore", "London"}})).Want(http.StatusCreated).Into(&some)
		for want, got := range map[string]api.Site{"[Virginia Singapore]": all, "[Singapore]": some} {
			for _, path := range []string{sitesPath(s, "/"+got.ID), sitesPath(s, "")} {
				var list serve.List[api.Site]
				if s.Get(path).Into(&got); strings.HasSuffix(path, "/sites") {
					s.Get(path).Into(&list)
					got = list.Results[slices.IndexFunc(list.Results, func(o api.Site) bool { return o.ID == got.ID })]
				}
				if names := fmt.Sprint(got.LiveLocations); names != want {
					t.Errorf("%s: live are %s, want %s", path, names, want)
				}
			}
		}
		if names := fmt.Sprint(some.Locations, some.LiveLocations); names != "[Singapore London] [Singapore]" {
			t.Errorf("made with %s", names)
		}
		s.Clock.Push(2 * time.Hour)
		if s.Get(sitesPath(s, "/"+all.ID)).Into(&all); len(all.LiveLocations) != 0 {
			t.Errorf("live when no location is left: %v", all.LiveLocations)
		}
	})
}

// What a person asks for is a revision of the feed that locations read.
func TestASiteIsCheckedOnRequest(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := sitesPath(s, "/"+createSite(t, s).ID)
		before, err := s.App.Store().Uptime.SitesSince(t.Context(), checks.London, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.Do("POST", path+"/check", nil).Want(http.StatusOK)
		after, err := s.App.Store().Uptime.SitesSince(t.Context(), checks.London, before.Revision)
		if err != nil || len(after.Sites) != 1 || !after.Sites[0].AskedAt.Equal(s.Clock.Now()) {
			t.Errorf("London is to look at %+v, %v", after.Sites, err)
		}
		s.Put(path, `{"site":{"active":false}}`).Want(http.StatusNoContent)
		if text := s.Do("POST", path+"/check", nil).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, "not active") {
			t.Errorf("one that is not active: %s", text)
		}
		s.Do("POST", sitesPath(s, "/nix/check"), nil).Want(http.StatusNotFound)
	})
}

func TestSitesOfAProjectPageByPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		other := createProject(t, s.Client, "Other")
		s.Post(projectPath(other.ID, "/sites"), withSite(map[string]any{"url": shopURL})).Want(http.StatusCreated)
		var made []string
		for range 5 {
			id, err := json.Marshal(createSite(t, s).ID)
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, string(id))
		}
		forward, back := walk(t, s, sitesPath(s, "?limit=2"), func() {})
		if diff := cmp.Diff([][]string{made, made}, [][]string{forward, back}); diff != "" {
			t.Errorf("forward and back (-want +got):\n%s", diff)
		}
		for _, query := range []string{"?page=0", "?cursor=x", "?limit=0"} {
			s.Do("GET", sitesPath(s, query), nil).Want(http.StatusUnprocessableEntity)
		}
	})
}

// A site that has been checked, as the contract shows it in its project.
func TestSitesStandInTheirProject(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		live(t, s, checks.Virginia)
		site := createSite(t, s)
		before := s.Clock.Now()
		result := fine(120 * time.Millisecond)
		result.Certificate = &checks.ProbeCertificate{Fingerprint: "ab", NotAfter: before.AddDate(0, 3, 0)}
		checked(t, s, site, result)
		var got api.Site
		s.Get(sitesPath(s, "/"+site.ID)).Into(&got)
		if got.State != sett.SiteUp || got.LastCheckedAt == nil || got.LastCheckedAt.Before(before) || got.CertWillExpireAt == nil ||
			!got.CertWillExpireAt.Equal(before.AddDate(0, 3, 0)) {
			t.Errorf("the site is %+v", got)
		}
		want := []any{map[string]any{
			"id": site.ID, "name": shopURL, "url": shopURL, "active": true, "state": "up", "last_checked_at": got.LastCheckedAt.Format(time.RFC3339Nano),
		}}
		if diff := cmp.Diff(want, s.Get(projectPath(s.Setup.ProjectID, "")).JSON()["sites"]); diff != "" {
			t.Errorf("sites of the project (-want +got):\n%s", diff)
		}
	})
}

// What may be named in a path belongs to the project before it, and members of its teams may work with it.
func TestSitesOfOthers(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		other, site := createProject(t, s.Client, "Other"), createSite(t, s)
		path := sitesPath(s, "/"+site.ID)
		stranger := s.AddStranger(t, "stranger@example.test")
		loose, _ := s.AddUser(t, "loose@example.test", accounts.Member) // of no team
		member, user := s.AddUser(t, "member@example.test", accounts.Member)
		if _, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{user: false}); err != nil {
			t.Fatal(err)
		}
		change := withSite(map[string]any{"url": "https://evil.example.test/"})
		for _, below := range []string{"", "/outages", "/uptime_checks", "/uptime"} {
			s.Do("GET", projectPath(other.ID, "/sites/"+site.ID+below), nil).Want(http.StatusNotFound)
			stranger.Do("GET", path+below, nil).Want(http.StatusNotFound)
			loose.Do("GET", path+below, nil).Want(http.StatusNotFound)
			member.Get(path + below)
		}
		for _, method := range []string{"PUT", "DELETE"} {
			s.Do(method, projectPath(other.ID, "/sites/"+site.ID), change).Want(http.StatusNotFound)
			stranger.Do(method, path, change).Want(http.StatusNotFound)
			loose.Do(method, path, change).Want(http.StatusNotFound)
		}
		var got api.Site
		if s.Get(path).Into(&got); got.URL != shopURL {
			t.Errorf("changed by another user: %s", got.URL)
		}
		member.Post(sitesPath(s, ""), change).Want(http.StatusCreated)
		member.Put(path, change).Want(http.StatusNoContent)
		member.Delete(path).Want(http.StatusNoContent)
	})
}

// The audit log contains that a check was changed, and no secrets of its target.
func TestSecretsOfASiteStayOutOfTheAuditLog(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		body := withSite(map[string]any{
			"name": "Shop", "url": "https://ann:hush@shop.example.test/health?page=1&token=hush", "request_method": "POST", "request_body": "hush",
			"request_headers": []map[string]string{{"key": "X-Own", "value": "hush"}},
		})
		var made api.Site
		s.Post(sitesPath(s, ""), body).Want(http.StatusCreated).Into(&made)
		s.Put(sitesPath(s, "/"+made.ID), body).Want(http.StatusNoContent)
		if made.URL != "https://********@shop.example.test/health?page=1&token=********" {
			t.Errorf("the site shows the address %s", made.URL)
		}
		raw := string(s.Get(auditPath(s, "")).Body)
		if strings.Contains(raw, "hush") || strings.Contains(raw, "X-Own") {
			t.Errorf("the log: %s", raw)
		}
		entries := auditLog(s, "")
		if len(entries) != 2 {
			t.Fatalf("entries: %+v", entries)
		}
		for _, e := range entries {
			changes := map[string]map[string]any{}
			if err := json.Unmarshal(e.Changes.RawMessage, &changes); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{
				"name": "Shop", "url": "https://[hidden]@shop.example.test/health?page=1&token=[hidden]", "request_method": "POST",
				"request_body": sett.Hidden, "request_headers": []any{map[string]any{"key": sett.Hidden, "value": sett.Hidden}},
			}
			if diff := cmp.Diff(want, changes["site"]); diff != "" {
				t.Errorf("changes of %s (-want +got):\n%s", e.Action, diff)
			}
		}
	})
}
