package user_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/alerts"
	"sett/internal/setttest"
)

// seeProject lets a user see the server's project.
func seeProject(t *testing.T, s *setttest.Server, user int64) {
	t.Helper()
	_, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{user: false})
	if err != nil {
		t.Fatal(err)
	}
}

// unsubscribeLink is the path of the link in mails to a user about the server's project.
func unsubscribeLink(t *testing.T, s *setttest.Server, user int64) string {
	t.Helper()
	token, err := s.App.Store().Deliveries.UnsubscribeToken(t.Context(), user, s.Setup.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	return "/unsubscribe/" + token
}

// alertsOf returns the personal alerts of a user for the server's project.
func alertsOf(t *testing.T, s *setttest.Server, user int64) alerts.PersonalAlerts {
	t.Helper()
	p, err := s.App.Store().Deliveries.PersonalAlerts(t.Context(), user, s.Setup.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	return p.PersonalAlerts
}

func TestPersonalAlertsPage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		ann := addAnn(t, s)
		b := newBrowser(t, s).signIn()
		page := fmt.Sprint("/me/alerts/", s.Setup.ProjectID)
		b.get("/me/alerts").want(200, "You have no projects yet.")
		b.get(page).want(404)
		b.post(page, "digest", "daily").want(404)

		seeProject(t, s, ann)
		b.get("/me/alerts").want(200, `<a href="`+page+`">Shop</a>`, "12 event types, plus mentions, plus errors you follow")
		b.get(page).want(200, `value="occurred" checked>`, `value="commented">`, `name="mentions" value="yes" checked>`, `name="follows" value="yes" checked>`, `<option value="off" selected>`, "Error assigned to you")
		b.do("POST", page, url.Values{"events": {"deployed", "commented"}, "digest": {"weekly"}}).leads(page + "?done=alerts")
		want := alerts.PersonalAlerts{Events: []alerts.AlertEvent{"commented", "deployed"}, Digest: alerts.DigestWeekly}
		if diff := cmp.Diff(want, alertsOf(t, s, ann)); diff != "" {
			t.Errorf("saved (-want +got):\n%s", diff)
		}
		b.get(page+"?done=alerts").want(200, "Saved.", `value="occurred">`, `value="commented" checked>`, `name="mentions" value="yes">`, `<option value="weekly" selected>`)
		b.post(page, "events", "rate_exceeded", "digest", "daily").want(422, "Please correct: events must be some of those listed.")
		b.post(page, "digest", "hourly").want(422, "Please correct: digest is not included in the list: off, daily, weekly.")
		if diff := cmp.Diff(want, alertsOf(t, s, ann)); diff != "" {
			t.Errorf("a refused form has changed (-want +got):\n%s", diff)
		}
		stranger(t, s).post(page, "digest", "daily").want(404)
		newBrowser(t, s).get(page).leads("/login?next=" + url.QueryEscape(page))
	})
}

// Who follows the link of a mail needs no session, and neither does a program that does it for them (RFC 8058).
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		ann := addAnn(t, s)
		seeProject(t, s, ann)
		link, b := unsubscribeLink(t, s, ann), newBrowser(t, s)
		if again := unsubscribeLink(t, s, ann); again != link {
			t.Errorf("the link is %s, then %s", link, again)
		}
		b.get(link).want(200, annsEmail, "Turn off these emails", `action="`+link+`"`).CheckPage()
		if diff := cmp.Diff(alerts.NewPersonalAlerts(), alertsOf(t, s, ann)); diff != "" {
			t.Errorf("looking has changed (-want +got):\n%s", diff)
		}
		oneClick := url.Values{"List-Unsubscribe": {"One-Click"}}
		got := b.do("POST", link, oneClick, "Accept", "*/*", "Origin", "https://mail.example.test", "Sec-Fetch-Site", "cross-site")
		got.want(200, annsEmail+"</strong> receives no emails about this project").CheckPage()
		if len(got.Header.Values("Set-Cookie")) > 0 {
			t.Error("a cookie is set")
		}
		if diff := cmp.Diff(alerts.Unsubscribed(), alertsOf(t, s, ann)); diff != "" {
			t.Errorf("afterwards (-want +got):\n%s", diff)
		}
		b.post(link).want(200)
		b.get(link).want(200, "receives no emails")
	})
}

func TestUnsubscribeLinksThatDoNotWork(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	ann := addAnn(t, s)
	seeProject(t, s, ann)
	b, link := newBrowser(t, s), unsubscribeLink(t, s, ann)
	other := strings.Replace(link, fmt.Sprintf("/%d.", ann), "/1.", 1)
	for _, bad := range []string{"/unsubscribe/x", "/unsubscribe/1.2", link + "x", link[:len(link)-1], other, "/unsubscribe/1.1." + strings.Repeat("A", 22), "/unsubscribe/99999999999999999999.1.x"} {
		b.get(bad).want(404, "This link does not work.")
		b.post(bad).want(404, "This link does not work.")
	}
	if diff := cmp.Diff(alerts.NewPersonalAlerts(), alertsOf(t, s, ann)); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
	newBrowser(t, s).do("POST", "/forgot", url.Values{"email": {annsEmail}}, "Sec-Fetch-Site", "cross-site").want(403) // all other forms
}
