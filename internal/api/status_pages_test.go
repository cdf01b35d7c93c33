package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/setttest"
)

func statusPagesPath(s *setttest.Server, rest string) string {
	return "/v2/accounts/" + s.Setup.AccountID + "/status_pages" + rest
}

func createStatusPage(t *testing.T, s *setttest.Server, fields string) (page api.StatusPage) {
	t.Helper()
	s.Post(statusPagesPath(s, ""), `{"status_page":{`+fields+`}}`).Want(http.StatusCreated).Into(&page)
	return page
}

func getStatusPage(c *setttest.Client, s *setttest.Server, page api.StatusPage) (found api.StatusPage) {
	c.Get(statusPagesPath(s, "/"+page.ID)).Into(&found)
	return found
}

func TestAStatusPageFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		site, job := createSite(t, s), createCheckIn(s, map[string]any{"slug": "night", "report_period": "1 hour"})
		live(t, s, checks.Virginia)
		checked(t, s, site, fine(time.Second))
		seen := s.Clock.Now().Add(-time.Second)
		fields := fmt.Sprintf(`"name":"Shop","domain":"Status.example.com","sites":[{"site_id":%q,"display_name":"Front","description":"Of house"}],
			"check_ins":[{"check_in_id":%q,"position":0}],"hide_branding":true,"features":{"up_caption":"Up"},"search_engine_indexing_disabled":"true",
			"automatic_incidents":true,"response_times":true,"password":"let me in"`, site.ID, job.ID)
		made := createStatusPage(t, s, fields)
		pending, domain := "pending", "status.example.com"
		want := api.StatusPage{
			ID: made.ID, Name: "Shop", AccountID: s.Setup.AccountID, Slug: "shop", Domain: &domain, URL: s.Base + "/status/shop",
			CreatedAt: s.Clock.Now(), DomainState: &pending,
			DomainRecords: []status.DNSRecord{{Type: "TXT", Name: "_sett." + domain}},
			Sites:         []api.StatusPageSite{{SiteID: site.ID, DisplayName: "Front", Description: "Of house", State: "up", LastCheckedAt: &seen}},
			CheckIns:      []api.StatusPageCheckIn{{CheckInID: job.ID, State: "pending"}}, HideBranding: true, Features: status.StatusFeatures{UpCaption: "Up"},
			Unlisted: true, AutoIncidents: true, ResponseTimes: true, PasswordProtected: true,
		}
		if len(made.DomainRecords) == 1 {
			want.DomainRecords[0].Value = made.DomainRecords[0].Value
		}
		if diff := cmp.Diff([]api.StatusPage{want, want}, []api.StatusPage{made, getStatusPage(s.Client, s, made)}); diff != "" {
			t.Errorf("made and read (-want +got):\n%s", diff)
		}
		if proof := want.DomainRecords[0].Value; !strings.HasPrefix(proof, "sett-domain-verification=") || len(proof) != 57 {
			t.Errorf("the proof is %s", proof)
		}
		stored, err := s.App.Store().Status.StatusPageByID(t.Context(), s.Setup.AccountID, made.ID)
		if err != nil || !auth.CheckPassword(stored.PasswordHash, "let me in") {
			t.Errorf("the password is %q: %v", stored.PasswordHash, err)
		}
		path := statusPagesPath(s, "/"+made.ID)
		s.Post(path+"/verify_domain", nil).Want(http.StatusOK)

		s.Post(path, `{"status_page":{"name":"Store","domain":null,"sites":[],"id":"x","url":"y"}}`).Want(http.StatusNoContent)
		want.Name, want.Domain, want.DomainState, want.DomainRecords, want.Sites = "Store", nil, nil, []status.DNSRecord{}, []api.StatusPageSite{}
		if diff := cmp.Diff(want, getStatusPage(s.Client, s, made)); diff != "" {
			t.Errorf("changed by POST (-want +got):\n%s", diff)
		}
		s.Put(path, `{"status_page":{"slug":"store","check_ins":null,"hide_branding":null,"features":null,"search_engine_indexing_disabled":null,
			"automatic_incidents":null,"response_times":null,"password":null}}`).Want(http.StatusNoContent)
		want = api.StatusPage{
			ID: made.ID, Name: "Store", AccountID: s.Setup.AccountID, Slug: "store", URL: s.Base + "/status/store", CreatedAt: want.CreatedAt,
			DomainRecords: []status.DNSRecord{}, Sites: []api.StatusPageSite{}, CheckIns: []api.StatusPageCheckIn{},
		}
		if diff := cmp.Diff(want, getStatusPage(s.Client, s, made)); diff != "" {
			t.Errorf("reset by PUT (-want +got):\n%s", diff)
		}
		var list serve.List[api.StatusPage]
		s.Get(statusPagesPath(s, "")).Into(&list)
		if diff := cmp.Diff([]api.StatusPage{want}, list.Results); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		s.Post(path+"/verify_domain", nil).Want(http.StatusUnprocessableEntity)
		s.Delete(path).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{
			s.Do("GET", path, nil), s.Delete(path), s.Put(path, "{"), s.Post(path, "{"), s.Post(path+"/verify_domain", nil),
		} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Status page not found" {
				t.Errorf("deleted: %s", text)
			}
		}
	})
}

// Anyone can report to a check-in with its id, and the proof of a domain is only for users who manage the page.
func TestWhoSeesSecretsOfAStatusPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		job := createCheckIn(s, map[string]any{"slug": "night", "report_period": "1 hour"})
		page := createStatusPage(t, s, fmt.Sprintf(`"name":"Shop","domain":"status.example.com","check_ins":[{"check_in_id":%q}]`, job.ID))
		member, id := s.AddUser(t, "member@example.test", accounts.Member)
		billing, _ := s.AddUser(t, "billing@example.test", accounts.Billing)
		admin, _ := s.AddUser(t, "admin@example.test", accounts.Admin)
		reader := readerOf(t, s)
		if _, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{id: true}); err != nil {
			t.Fatal(err)
		}
		for _, who := range []struct {
			name    string
			client  *setttest.Client
			checkIn string
			records int
		}{
			{"owner", s.Client, job.ID, 1},
			{"admin", admin, job.ID, 1},
			{"a token that may only read", reader, job.ID, 0},
			{"member of its team", member, job.ID, 0},
			{"member of none", billing, "", 0},
		} {
			var list serve.List[api.StatusPage]
			who.client.Get(statusPagesPath(s, "")).Into(&list)
			for _, seen := range append(list.Results, getStatusPage(who.client, s, page)) {
				if seen.CheckIns[0].CheckInID != who.checkIn || seen.CheckIns[0].State != "pending" || len(seen.DomainRecords) != who.records {
					t.Errorf("%s sees %+v and %v", who.name, seen.CheckIns[0], seen.DomainRecords)
				}
			}
			if len(list.Results) != 1 {
				t.Errorf("%s is listed %d pages", who.name, len(list.Results))
			}
		}
	})
}

// Every field of a status page that people write, with the exact sentence when it is refused.
func TestStatusPageBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	site, job := createSite(t, s), createCheckIn(s, map[string]any{"slug": "night", "report_period": "1 hour"})
	createStatusPage(t, s, `"name":"Taken"`)
	page := createStatusPage(t, s, fmt.Sprintf(`"name":"Shop","sites":[{"site_id":%q}]`, site.ID))
	path := statusPagesPath(s, "/"+page.ID)
	before := string(s.Get(path).Body)
	const wrap = `status_page must be an object that contains the fields, as in {"status_page": {"name": "Shop"}}`
	const none = "must be the id of a site of a project of this account; "
	const keys = "features must be some of home_link, up_caption, down_caption, mixed_caption, custom_css, accent_color; "
	const pick, hyphens = "must have from 3 to 60 characters", "slug must be of lower-case letters a-z, digits and hyphens, without a hyphen at an end"
	const link = "features.home_link must be a URL that starts with http:// or https:// and has no spaces"
	inside := func(fields string) string { return `{"status_page":{"name":"x",` + fields + `}}` }
	long := func(n int) string { return strings.Repeat("ö", n) }
	entries := func(n int, entry string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + "]"
	}
	own := fmt.Sprintf(`{"site_id":%q}`, site.ID)
	for body, want := range map[string]string{
		`{"name":"x"}`:                wrap,
		`{"status_page":null}`:        wrap,
		`{"status_page":[]}`:          "status_page must be an object",
		`{"status_page":{"name":""}}`: "name can't be blank", `{"status_page":{"name":null}}`: "name can't be blank", `{"status_page":{"name":[7]}}`: "name must be a string",
		`{"status_page":{"name":"` + long(256) + `"}}`: "name is too long (maximum is 255 characters)",

		inside(`"slug":"ab"`): "slug " + pick, inside(`"slug":"` + strings.Repeat("a", 61) + `"`): "slug " + pick, inside(`"slug":[7]`): "slug must be a string",
		inside(`"slug":"Shop"`): hyphens, inside(`"slug":"a_b"`): hyphens, inside(`"slug":"-ab"`): hyphens, inside(`"slug":"ab-"`): hyphens, inside(`"slug":"a/b"`): hyphens,
		inside(`"slug":"taken"`): "slug has already been taken by another status page of this server",

		inside(`"domain":[7]`):           "domain must be a string",
		inside(`"domain":"https://a.b"`): "domain must be only a name, without http:// or https://, such as status.example.org",
		inside(`"domain":"127.0.0.1"`):   "domain must be a name in DNS, such as status.example.org, and not an IP address",

		inside(`"sites":{}`):                                                 "sites must be an array of objects, each member of the right type",
		inside(`"sites":["x"]`):                                              "sites must be an array of objects, each member of the right type",
		inside(`"sites":[null]`):                                             "sites[0] site_id can't be blank",
		inside(`"sites":[{"site_id":null}]`):                                 "sites[0] site_id can't be blank",
		inside(`"sites":[` + own + `,{"site_id":[7]}]`):                      "sites[1] site_id must be a string",
		inside(`"sites":[{"site_id":"x"}]`):                                  "sites[0] site_id " + none + `"x" is none`,
		inside(`"sites":[` + own + `,` + own + `]`):                          "sites[1] is there twice",
		inside(`"sites":[{"site_id":"` + site.ID + `","position":-1}]`):      "sites[0] position must be from 0 to 1000000",
		inside(`"sites":[{"site_id":"` + site.ID + `","position":"first"}]`): "sites[0] position must be an integer",
		inside(`"sites":[{"site_id":"` + site.ID + `","display_name":"` + long(256) + `","description":"a\nb"}]`): "sites[0] display_name is too long (maximum is 255 characters); " +
			"sites[0] description must not contain control characters",
		inside(`"check_ins":[{"check_in_id":"x"}]`):                        "check_ins[0] check_in_id must be the id of a check-in of a project of this account; \"x\" is none",
		inside(`"check_ins":[{"check_in_id":"` + site.ID + `"}]`):          `check_ins[0] check_in_id must be the id of a check-in of a project of this account; "` + site.ID + `" is none`,
		inside(`"check_ins":[{}]`):                                         "check_ins[0] check_in_id can't be blank",
		inside(`"sites":` + entries(101, own)):                             "sites and check_ins are too many (maximum is 100 together)",
		inside(`"sites":` + entries(20000, `{}`)):                          "sites and check_ins are too many (maximum is 100 together)",
		inside(`"hide_branding":"yes"`):                                    "hide_branding must be true or false",
		inside(`"search_engine_indexing_disabled":1`):                      "search_engine_indexing_disabled must be true or false",
		inside(`"automatic_incidents":[]`):                                 "automatic_incidents must be true or false",
		inside(`"password":"1234567"`):                                     "password must have from 8 to 200 characters, and not only spaces; null removes it",
		inside(`"password":""`):                                            "password must have from 8 to 200 characters, and not only spaces; null removes it",
		inside(`"password":"` + long(201) + `"`):                           "password must have from 8 to 200 characters, and not only spaces; null removes it",
		inside(`"password":[12345678]`):                                    "password must be a string",
		inside(`"features":[]`):                                            "features must be an object",
		inside(`"features":{"upcaption":"a","logo":"b"}`):                  keys + `"logo" is none of them; ` + keys + `"upcaption" is none of them, up_caption is`,
		inside(`"features":{"up_caption":[1],"mixed_caption":"a\u202eb"}`): "features.up_caption must be a string; features.mixed_caption must not contain characters that change the direction of the text",
		inside(`"features":{"down_caption":"` + long(256) + `"}`):          "features.down_caption is too long (maximum is 255 characters)",
		inside(`"features":{"home_link":"javascript:alert(1)"}`):           link,
		inside(`"features":{"home_link":"example.org"}`):                   link,
		inside(`"features":{"home_link":"https://"}`):                      link,
		inside(`"features":{"home_link":"https://a b"}`):                   link,
		inside(`"features":{"home_link":"https://x/` + long(1991) + `"}`):  "features.home_link is too long (maximum is 2000 characters)",
		inside(`"features":{"custom_css":"</style>"}`):                     "features.custom_css must not contain the character <",
		inside(`"slug":"A","domain":"x","hide_branding":2,"password":"short"`): hyphens +
			"; domain must be a whole name, with its top-level domain, such as status.example.org; hide_branding must be true or false; " +
			"password must have from 8 to 200 characters, and not only spaces; null removes it",
	} {
		for _, r := range []*setttest.Response{s.Post(statusPagesPath(s, ""), body), s.Put(path, body), s.Post(path, body)} {
			if text := r.Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+want+"." {
				t.Errorf("%.200s:\ngot  %s\nwant %s", body, text, want)
			}
		}
	}
	s.Post(statusPagesPath(s, ""), `{"status_page":{}}`).Want(http.StatusUnprocessableEntity)
	s.Post(statusPagesPath(s, ""), `{"status_page":`).Want(http.StatusBadRequest)
	if after := string(s.Get(path).Body); after != before {
		t.Errorf("a refused body left its mark: %s", after)
	}
	if ids, _ := idsOf(s, statusPagesPath(s, "")); len(ids) != 2 {
		t.Errorf("a refused body made a page: %v", ids)
	}
	s.Put(path, `{"status_page":{}}`).Want(http.StatusNoContent)

	full, err := json.Marshal(map[string]any{"status_page": map[string]any{
		"name": long(255), "slug": strings.Repeat("a", 60), "domain": strings.Repeat("a.", 123) + "a", "password": long(200),
		"sites":     []any{map[string]any{"site_id": strings.ToUpper(site.ID), "display_name": long(255), "description": long(255), "position": 1_000_000}},
		"check_ins": []any{map[string]any{"check_in_id": job.ID}},
		"features":  map[string]any{"home_link": "https://x/" + long(1990), "up_caption": long(255), "custom_css": strings.Repeat("a", 20_000)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Post(statusPagesPath(s, ""), full).Want(http.StatusCreated)
}

func TestThePlanOfTheServer(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.Plan = "developer" })
	page := createStatusPage(t, s, `"name":"Shop","hide_branding":false,"features":{}`)
	const want = "Please correct: hide_branding needs the Team plan or one above it; features need the Team plan or one above it."
	body := `{"status_page":{"name":"Shop","hide_branding":true,"features":{"up_caption":"Up"}}}`
	for _, r := range []*setttest.Response{s.Post(statusPagesPath(s, ""), body), s.Put(statusPagesPath(s, "/"+page.ID), body)} {
		if text := r.Want(http.StatusUnprocessableEntity).Errors(); text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
}

// The server itself is at none of its pages' domains, and they can point to it where DNS can know it.
func TestDomainsAndTheServerItself(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s := setttest.Start(t, "sqlite", func(c *app.Config) {
		c.BaseURL, c.ReportURL = "https://Sett.example.org", "https://report.example.org:8443"
	})
	s.Base = "http://" + s.App.Addr()
	for _, domain := range []string{"sett.example.org", "report.example.org"} {
		text := s.Post(statusPagesPath(s, ""), `{"status_page":{"name":"x","domain":"`+domain+`"}}`).Want(http.StatusUnprocessableEntity).Errors()
		if text != "Please correct: domain must not be that of this server itself: take another, such as status."+domain+"." {
			t.Errorf("%s: %s", domain, text)
		}
	}
	page := createStatusPage(t, s, `"name":"x","domain":"status.example.org"`)
	if got := page.DomainRecords; len(got) != 2 || got[0] != (status.DNSRecord{Type: "CNAME", Name: "status.example.org", Value: "sett.example.org"}) {
		t.Errorf("the records are %v", got)
	}
	if page.URL != "https://Sett.example.org/status/status-x" {
		t.Errorf("it is at %s", page.URL)
	}
}
