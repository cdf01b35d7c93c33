package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

func TestReports(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		notice := func(class, environment, user string) {
			s.Do("POST", "/v1/notices", map[string]any{
				"error":   map[string]any{"class": class, "message": "broken"},
				"request": map[string]any{"component": "Orders", "action": "show", "context": map[string]any{"user_id": user}},
				"server":  map[string]any{"environment_name": environment},
			}).Want(http.StatusCreated)
		}
		notice("Boom", "production", "7")
		s.Clock.Push(24 * time.Hour)
		notice("Boom", "staging", "8")
		notice("Bang", "production", "7")
		read := func(c *setttest.Client, rest string) string {
			return strings.TrimSpace(string(c.Get(projectPath(s.Setup.ProjectID, "/reports/"+rest)).Body))
		}
		const days = `[["2026-11-13T00:00:00.000000+00:00",0],["2026-11-14T00:00:00.000000+00:00",0],["2026-11-15T00:00:00.000000+00:00",0],` +
			`["2026-11-16T00:00:00.000000+00:00",0],["2026-11-17T00:00:00.000000+00:00",0],["2026-11-18T00:00:00.000000+00:00",1],["2026-11-19T00:00:00.000000+00:00",2]]`
		for rest, want := range map[string]string{
			"notices_by_class":                                                             `[["Boom",2],["Bang",1]]`,
			"notices_by_class?environment=production":                                      `[["Bang",1],["Boom",1]]`,
			"notices_by_class?environment=":                                                `[["Boom",2],["Bang",1]]`,
			"notices_by_class?start=2026-11-19":                                            `[["Bang",1],["Boom",1]]`,
			"notices_by_class?start=2026-11-18&stop=2026-11-18":                            `[["Boom",1]]`,
			"notices_by_class?start=1970-01-01&stop=2026-11-17&environment=":               `[]`,
			"notices_by_class?start=" + url.QueryEscape("2026-11-18T11:30:00+01:00"):       `[["Boom",2],["Bang",1]]`,
			"notices_by_class?start=2026-11-18T11:00:00Z&stop=":                            `[["Bang",1],["Boom",1]]`,
			fmt.Sprint("notices_by_class?stop=", s.Clock.Now().Add(-24*time.Hour).Unix()):  `[["Boom",1]]`,
			"notices_by_location":                                                          `[["Orders#show",3]]`,
			"notices_by_class?start=20261119":                                              `[["Bang",1],["Boom",1]]`,
			"notices_by_class?start=20261118&stop=20261118":                                `[["Boom",1]]`,
			"notices_per_day?start=1970-01-01&stop=20261118":                               `[["2026-11-18T00:00:00.000000+00:00",1]]`,
			"notices_by_user/":                                                             `[["7",2],["8",1]]`,
			"notices_per_day":                                                              days,
			"notices_per_day?start=2026-11-18T12:00:00Z&stop=2026-11-18T13:00:00Z":         `[["2026-11-18T00:00:00.000000+00:00",0]]`,
			"notices_per_day?environment=staging&start=2026-11-19T00:00:00.000000%2B00:00": `[["2026-11-19T00:00:00.000000+00:00",1]]`,
		} {
			if diff := cmp.Diff(want, read(s.Client, rest)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", rest, diff)
			}
		}
		var rows []api.ReportRow
		s.Get(projectPath(s.Setup.ProjectID, "/reports/notices_by_user")).Into(&rows)
		if diff := cmp.Diff([]api.ReportRow{{Label: "7", Count: 2}, {Label: "8", Count: 1}}, rows); diff != "" {
			t.Errorf("rows that were read (-want +got):\n%s", diff)
		}
		second := createProject(t, s.Client, "Second")
		if body := strings.TrimSpace(string(s.Get(projectPath(second.ID, "/reports/notices_by_class")).Body)); body != "[]" {
			t.Errorf("of another project: %s", body)
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member) // of no team
		for _, c := range []*setttest.Client{member, s.AddStranger(t, "stranger@example.test")} {
			c.Do("GET", projectPath(s.Setup.ProjectID, "/reports/notices_by_class?start=x"), nil).Want(http.StatusNotFound)
		}
		for _, unknown := range []string{"/reports/notices_by_moon", "/reports", "/reports/notices_by_class/1"} {
			s.Do("GET", projectPath(s.Setup.ProjectID, unknown), nil).Want(http.StatusNotFound)
		}
	})
}

func TestReportsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const form = "must be a date such as 2026-11-18, a time such as 2026-11-18T10:30:00Z, or seconds since 1970, such as 1795000000"
	const order = "start must not be after stop, which is now unless it is given"
	for query, want := range map[string]string{
		"notices_by_class?start=x":                                "start " + form,
		"notices_by_user?stop=yesterday":                          "stop " + form,
		"notices_per_day?start=x&stop=2026-13-40":                 "start " + form + "; stop " + form,
		"notices_by_class?start=2026-11-19":                       order,
		"notices_by_location?start=2026-11-02&stop=2026-11-01":    order,
		"notices_by_class?environment=%00":                        "environment must be valid UTF-8 without NUL characters",
		"notices_by_class?start=2026-11-18T10:00:00Z&stop=%20":    "stop " + form,
		"notices_by_class?start=2026-11-18T10:00:00Z&stop=-1&x=y": "stop " + form,
	} {
		answer := s.Do("GET", projectPath(s.Setup.ProjectID, "/reports/"+query), nil)
		if answer.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", query, answer.Status, answer.Body)
			continue
		}
		got := answer.Errors()
		if diff := cmp.Diff("Please correct: "+want+".", got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// Every notice is in the report by location: those without one at an empty location, which may be the greatest.
func TestReportOfNoticesWithoutLocation(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		send := func(environment, component string) {
			s.Post("/v1/notices", map[string]any{
				"error": map[string]any{"class": "Boom"}, "request": map[string]any{"component": component}, "server": map[string]any{"environment_name": environment},
			}).Want(http.StatusCreated)
		}
		for range 3 {
			send("production", "")
		}
		send("production", "Orders")
		send("staging", "Orders")
		if err := s.App.Store().Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"":                                  `[["",3],["Orders",2]]`,
			"?environment=staging":              `[["Orders",1]]`,
			"?environment=production":           `[["",3],["Orders",1]]`,
			"?stop=2026-11-01&start=2026-10-01": `[]`,
		} {
			if got := strings.TrimSpace(string(s.Get(projectPath(s.Setup.ProjectID, "/reports/notices_by_location"+query)).Body)); got != want {
				t.Errorf("%q: %s, want %s", query, got, want)
			}
		}
	})
}

// The reports by day take every time that the others take.
func TestReportByDayOfALongTime(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	s.Post("/v1/notices", map[string]any{"error": map[string]any{"class": "Boom"}}).Want(http.StatusCreated)
	for query, want := range map[string]int{
		"?start=2020-01-01": 2514, "?start=1970-01-01": 1, "?start=0&stop=9999-12-31": 1, "?start=1970-01-01&stop=1971-01-01": 366,
	} {
		var rows []api.ReportRow
		s.Get(projectPath(s.Setup.ProjectID, "/reports/notices_per_day"+query)).Into(&rows)
		if len(rows) != want {
			t.Errorf("%s: %d rows, want %d", query, len(rows), want)
		}
	}
}
