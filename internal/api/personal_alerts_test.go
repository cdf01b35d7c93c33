package api_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

func personalAlertsPath(s *setttest.Server) string {
	return projectPath(s.Setup.ProjectID, "/personal_alerts")
}

// personalAlerts returns the notifications that a user has selected.
func personalAlerts(s *setttest.Server, c *setttest.Client) api.PersonalAlerts {
	var got struct {
		PersonalAlerts api.PersonalAlerts `json:"personal_alerts"`
	}
	c.Get(personalAlertsPath(s)).Into(&got)
	return got.PersonalAlerts
}

func TestPersonalAlerts(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		other, _ := s.AddUser(t, "other@example.test", accounts.Admin)
		fresh := api.PersonalAlerts{
			Events:   []string{"occurred", "assigned", "up", "down", "slow", "fast", "cert_will_expire", "check_in_missing", "check_in_failed", "check_in_reporting", "alarm_alert", "alarm_ok"},
			Mentions: true, Follows: true, Digest: "off",
		}
		check := func(name string, c *setttest.Client, want api.PersonalAlerts) {
			t.Helper()
			if diff := cmp.Diff(want, personalAlerts(s, c)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		check("nothing said", s.Client, fresh)
		put := func(fields map[string]any) {
			t.Helper()
			s.Put(personalAlertsPath(s), map[string]any{"personal_alerts": fields}).Want(http.StatusNoContent)
		}
		put(map[string]any{"events": []string{"deployed", "commented", "deployed"}, "mentions": false, "follows": false})
		check("events", s.Client, api.PersonalAlerts{Events: []string{"commented", "deployed"}, Digest: "off"})
		put(map[string]any{"digest": "weekly", "events": []string{}})
		check("a digest alone", s.Client, api.PersonalAlerts{Events: []string{}, Digest: "weekly"})
		put(map[string]any{})
		check("nothing sent", s.Client, api.PersonalAlerts{Events: []string{}, Digest: "weekly"})
		check("of another user", other, fresh)
		put(map[string]any{"events": nil, "mentions": nil, "follows": nil, "digest": nil})
		check("reset", s.Client, fresh)
		check("of an admin who sees all projects", other, fresh)

		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		member.Do("GET", personalAlertsPath(s), nil).Want(http.StatusNotFound)
		member.Put(personalAlertsPath(s), "{").Want(http.StatusNotFound)
	})
}

func TestPersonalAlertsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const wrap = `Please correct: personal_alerts must be an object that contains the fields, as in {"personal_alerts": {"digest": "daily"}}.`
	for _, c := range []struct {
		body   string
		status int
		errors string
	}{
		{`{"digest":"daily"}`, 422, wrap},
		{`{"personal_alerts":null}`, 422, wrap},
		{`{"personal_alerts":[]}`, 422, "Please correct: personal_alerts must be an object."},
		{`{"personal_alerts":{"digest":"hourly","mentions":"yes"}}`, 422, "Please correct: mentions must be true or false; digest is not included in the list: off, daily, weekly."},
		{`{"personal_alerts":{"events":["occured"]}}`, 422, `Please correct: events must be some of occurred, resolved, unresolved, assigned, commented, deployed, volume_spike, down, up, slow, fast, cert_will_expire, check_in_missing, check_in_failed, check_in_reporting, alarm_alert, alarm_ok; "occured" is none of them, occurred is.`},
		{`{"personal_alerts":`, 400, "The request body is not valid JSON: it ends too early."},
	} {
		if text := s.Put(personalAlertsPath(s), c.body).Want(c.status).Errors(); text != c.errors {
			t.Errorf("%s:\ngot  %s\nwant %s", c.body, text, c.errors)
		}
	}
}
