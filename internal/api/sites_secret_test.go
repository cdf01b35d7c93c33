package api_test

import (
	"net/http"
	"strings"
	"testing"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

func TestSecretsOfASite(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var made api.Site
		s.Post(sitesPath(s, ""), withSite(map[string]any{
			"url": "https://ann:open@shop.example.test/?token=qu3ryt0k", "request_headers": []map[string]string{{"key": "Authorization", "value": "Bearer t0ken"}, {"key": "Accept", "value": "*/*"}},
			"request_method": "POST", "request_body": "pin=s3same",
		})).Want(http.StatusCreated).Into(&made)
		member, id := s.AddUser(t, "mem@example.test", accounts.Member)
		if _, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{id: false}); err != nil {
			t.Fatal(err)
		}
		path := sitesPath(s, "/"+made.ID)
		for who, c := range map[string]struct {
			client *setttest.Client
			sees   bool
		}{"owner": {s.Client, true}, "member": {member, false}, "reader": {readerOf(t, s), false}} {
			for _, p := range []string{path, sitesPath(s, ""), projectPath(s.Setup.ProjectID, "")} {
				text := string(c.client.Get(p).Body)
				if strings.Contains(text, "open") || strings.Contains(text, "qu3ryt0k") {
					t.Errorf("%s sees at %s: %s", who, p, text)
				}
				for _, secret := range []string{"t0ken", "s3same"} {
					if strings.Contains(text, secret) != (c.sees && strings.Contains(p, "/sites")) {
						t.Errorf("%s sees at %s, or does not see %s: %s", who, p, secret, text)
					}
				}
			}
		}
		member.Put(path, withSite(map[string]any{"url": "https://evil.example.test/"})).Want(http.StatusUnprocessableEntity)
		member.Put(path, withSite(map[string]any{"url": "https://evil.example.test/", "request_headers": nil})).Want(http.StatusUnprocessableEntity) // has the body yet
		member.Put(path, withSite(map[string]any{"url": made.URL, "request_headers": []map[string]string{{"key": "Authorization", "value": "********"}}, "request_body": "********", "name": "Shop"})).Want(http.StatusNoContent)
		uuid, err := sett.ParseUUID(made.ID)
		if err != nil {
			t.Fatal(err)
		}
		have, err := s.App.Store().Uptime.SiteByID(t.Context(), s.Setup.ProjectID, uuid)
		if err != nil || have.URL != "https://ann:open@shop.example.test/?token=qu3ryt0k" || len(have.Headers) != 1 || have.Headers[0].Value != "Bearer t0ken" || have.Body != "pin=s3same" {
			t.Errorf("%+v, %v", have.SiteSettings, err)
		}
	})
}

// What came back from a site is for those who may edit it, without credentials.
func TestEvidenceOfAnOutage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		site := createSite(t, s)
		live(t, s, checks.Virginia)
		for range 2 {
			checked(t, s, site, checks.ProbeResult{
				Status: 503, Reason: "Expected 2xx status code -- got 503", Headers: map[string]string{"server": "nginx", "set-cookie": "sid=abc"}, Body: []byte("Down. Cookie: sid=abc"),
			})
		}
		path := sitesPath(s, "/"+site.ID+"/outages")
		var list serve.List[api.Outage]
		s.Get(path).Into(&list)
		if len(list.Results) != 1 || (*list.Results[0].Headers)["server"] != "nginx" || *list.Results[0].Body != "Down. Cookie: ********" || len(*list.Results[0].Headers) != 1 {
			t.Errorf("the owner sees %+v", list.Results)
		}
		readerOf(t, s).Get(path).Into(&list)
		if len(list.Results) != 1 || list.Results[0].Headers != nil || list.Results[0].Body != nil || list.Results[0].Reason == "" {
			t.Errorf("a token that may only read sees %+v", list.Results)
		}
	})
}

func TestChecksCannotNameUsers(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for _, name := range []string{"Remote-Email", "remote_email", "X-Forwarded-User", "Connection"} {
			got := s.Post(sitesPath(s, ""), withSite(map[string]any{"url": shopURL, "request_headers": []map[string]string{{"key": name, "value": "owner@example.test"}}})).Want(http.StatusUnprocessableEntity)
			if !strings.Contains(string(got.Body), "request_headers") {
				t.Errorf("%s: %s", name, got.Body)
			}
		}
	})
}
