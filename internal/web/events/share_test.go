package events_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
)

var shareLink = regexp.MustCompile(`/share/dashboards/(\w{43})<`)

// made creates a public link, and returns its path.
func made(t *testing.T, b *visitor.Browser, path string) string {
	t.Helper()
	return strings.TrimSuffix(shareLink.FindString(b.Post(path+"/share").Want(200, "will not be shown again").CheckPage().Body), "<")
}

// Anyone with the link sees what the widgets show, without links into the app, single events, who deployed, and email addresses. A link that was
// revoked, replaced or forbidden shows nothing.
func TestDashboardIsShared(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		s.Do("POST", "/v1/notices", `{"error":{"class":"Boom","message":"no account for ann.someone@example.com"}}`, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		s.Do("POST", "/v1/deploys", `{"deploy":{"environment":"production","revision":"abc1234","local_username":"secret-user"}}`, "X-API-Key", s.Setup.APIKey).Want(http.StatusCreated)
		report(s, `{"event_type":"request","user":"long.ann.someone@example.com","path":"/orders"}`)
		var d struct{ ID string }
		api := fmt.Sprintf("/v2/projects/%d/dashboards", s.Setup.ProjectID)
		widgets := `{"type":"errors"},{"type":"deployments"},
			{"type":"insights_vis","config":{"query":"stats count() as n by user","streams":["default"],"vis":{"view":"table"}}},
			{"type":"insights_vis","config":{"query":"stats count() as n by bin(1h), user","streams":["default"],"vis":{"view":"line"}}},
			{"type":"insights_vis","config":{"query":"filter path == \"${path:-/orders}\"","streams":["default"],"vis":{"view":"table"}}},
			{"type":"insights_vis","config":{"query":"stats count( secret","vis":{"view":"table"}}}`
		s.Do("POST", api, `{"dashboard":{"title":"Wall of fame","default_ts":"P1D","widgets":[`+widgets+`]}}`).Want(http.StatusCreated).Into(&d)
		path := in(s, "/dashboards/"+d.ID)
		b.Get(path).Want(200, "secret-user", "long.ann.", "Share", "Create link").CheckPage().Lacks("Revoke link")
		link := made(t, b, path)
		b.Get(path).Want(200, "Revoke link", "created by Ann").CheckPage().Lacks(link)

		anyone := visitor.New(t, s)
		page := anyone.Get(link).Want(200, "Wall of fame", "Boom", "abc1234", "[address]", "Single events are not shown here", "This query cannot be read").CheckPage()
		for _, secret := range []string{"example.com", "secret", "/projects/", "<nav", "<form", "/orders", "data-leave"} {
			page.Lacks(secret)
		}
		if got := page.Header.Get("X-Robots-Tag"); got != "noindex, nofollow" {
			t.Errorf("robots read %q", got)
		}
		b.Get(link).Want(200).Lacks("ann@people.test").Lacks("/projects/") // the same for users

		report(s, `{"event_type":"request","user":"someone-new","path":"/orders"}`)
		anyone.Get(link + "?period=7d&path=/p").Want(200).Lacks("someone-new") // it is kept for half a minute
		s.Clock.Push(time.Minute)
		anyone.Get(link).Want(200, "someone-new")
		b.Post(path, "rename", "1", "title", "Renamed").Want(303)
		anyone.Get(link).Want(200, "Renamed")

		second := made(t, b, path)
		anyone.Get(link).Want(404)
		anyone.Get(second).Want(200)
		settings := fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)
		s.Do("PUT", settings, `{"project":{"disable_public_links":true}}`)
		anyone.Get(second).Want(404)
		b.Get(path).Want(200, "Public links are not allowed").Lacks("Create link").CheckPage()
		b.Post(path + "/share").Want(403)
		s.Do("PUT", settings, `{"project":{"disable_public_links":false}}`)
		anyone.Get(second).Want(200)
		b.Post(path + "/unshare").Want(303)
		anyone.Get(second).Want(404)
		b.Post(path + "/unshare").Want(404)
		third := made(t, b, path)
		b.Post(path + "/delete").Want(303)
		anyone.Get(third).Want(404)
		anyone.Get("/share/dashboards/nonsense").Want(404)
	})
}
