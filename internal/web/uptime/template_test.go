package uptime

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/stats"
	"sett/internal/setttest/markup"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	full := web.Shell{Title: "Title", Heading: "-", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Now: at}
	bare := web.Shell{Heading: "-"}
	field := web.Field{Name: "n", Label: "Label", Kind: "text", Value: "v", Hint: "Hint.", Problem: "Problem."}
	strip := draw.NewStrip([]string{"ok", "crit"}, 5, "two")
	site := checks.Site{ProjectID: 1, SiteSettings: checks.SiteSettings{Name: "Shop", ProbeRequest: checks.ProbeRequest{URL: "https://shop.test"}, Active: true}}
	outage := checks.Outage{DownAt: at, Status: 503, Reason: "Down", Location: checks.London}
	tiles := []tile{{"Up for", "1 d", web.Critical, "note"}, {Name: "X"}}
	axis := draw.Axis{From: at, To: at.Add(time.Hour), Layout: "15:04"}
	chart := draw.NewLines(axis, []draw.Values{{Name: "London", Values: []float64{1, draw.Gap, 2}}}, nil, nil, "ms")
	pager := web.Pager{Newer: "/a", Older: "/b", Swap: "#list"}
	checkIn := checks.CheckIn{ID: "abc", ProjectID: 1, ReportedAt: at, CheckInSettings: checks.CheckInSettings{Name: "Job", Slug: "job", ScheduleType: checks.CronSchedule}}
	event := checks.CheckInEvent{At: at, Payload: &checks.PingPayload{Stdout: "out", Stderr: "err"}}
	windows := []maintenance.Window{
		{ID: 7, ProjectID: 1, Settings: maintenance.Settings{Reason: "Upgrade", StartsAt: at.Add(-time.Hour), EndsAt: at.Add(time.Hour), SiteIDs: []string{"a"}, CheckInIDs: []string{"b", "c"}}, Held: 2},
		{ProjectID: 1, Settings: maintenance.Settings{StartsAt: at, EndsAt: at.Add(time.Hour), UntilEnded: true, Errors: true}},
	}
	form := windowForm{"/a", "Save", "UTC", web.Fields{field}, []windowChoice{{"site", "a", "Shop", true}, {"check_in", "b", "Job", false}}}
	var rows []windowRow
	for _, when := range []time.Time{at, at.Add(-2 * time.Hour), at.Add(2 * time.Hour)} {
		for _, w := range windows {
			rows = append(rows, newWindowRow(w, when))
		}
	}
	settled := windows[0]
	settled.SettledAt = at
	rows = append(rows, newWindowRow(settled, at))
	ongoing := web.NewOngoing(alerts.Problem{Subject: "site x", Acknowledgement: &alerts.Acknowledgement{ID: 1, At: at}}, full, 1)
	return map[string][]web.Page{
		"maintenance":      {&maintenanceList{Shell: bare}, &maintenanceList{full, 1, rows, form, pager}},
		"maintenance_form": {&windowSheet{Shell: web.Shell{Title: "T"}, Form: windowForm{Action: "/a"}}, &windowSheet{web.Shell{Title: "T", Now: at}, 1, form}},

		"sites": {siteList{Shell: bare}, siteList{full, 1, []siteRow{{Site: site, State: web.SiteState(site), Strip: strip, Outage: outage, Mood: web.Warning, Looker: "Ann"}, {}}, pager, windows}},
		"site": {
			&siteSheet{Shell: bare},
			&siteSheet{
				full, site, "https://shop.test", web.SiteState(site), "rule", "wants", tiles,
				[]locationStrip{{"Vienna", strip}, {}},
				"None.",
				[]string{"London: forbidden."},
				stats.ResponseDay, spanTabs(), chart,
				[]outageRow{{outage, "Berlin", time.Minute, []checks.ProbeHeader{{Key: "a", Value: "b"}}, "<p>"}, {Outage: checks.Outage{UpAt: at}}},
				[]slowRow{{checks.SlowSpell{SlowAt: at}, time.Minute, "1840 ms", "800 ms", "Still slow"}, {SlowSpell: checks.SlowSpell{FastAt: at}}},
				pager, windows, ongoing,
			},
		},
		"site_form": {
			&siteForm{Shell: web.Shell{Title: "T"}, Action: "/a", Preview: "/b"},
			&siteForm{web.Shell{Title: "T"}, "/a", "/p", "/c", "Save", []kindTab{{"TCP", "/t", true}, {}}, "tcp", "Timeout", web.Fields{field}, web.Fields{{Name: "r", Label: "R", Kind: "text", Problem: "x"}}, []locationTick{{checks.London, "Vienna", true, true}, {}}, "rule", "wrong"},
		},
		"check_ins": {
			checkInList{Shell: bare},
			checkInList{full, 1, []checkInRow{{checkIn, "Job", web.CheckInState(checkIn, at), "every day", strip, "1 s", "in 3 h", "Ann"}, {}}, pager, windows, []stats.RefusedCheckIn{{Slug: "nightly", Why: "no time zone", Count: 2, LastAt: at}}},
		},
		"check_in": {
			&checkInSheet{Shell: bare, Zone: time.UTC},
			&checkInSheet{
				full, checkIn, "Job", web.CheckInState(checkIn, at), "every day", "https://x.test/v1/check_in/abc", snippets("https://x.test/v1/check_in/abc", "https://x.test", checkIn),
				tiles, strip, strip, chart,
				[]time.Time{at},
				time.UTC,
				[]eventRow{newEventRow(event), {}},
				pager, windows, ongoing,
			},
			&checkInSheet{Shell: bare, CheckIn: checks.CheckIn{State: sett.CheckInPaused}, Zone: time.UTC},
		},
		"check_in_form": {
			&checkInForm{Shell: web.Shell{Title: "T"}, Action: "/a", Preview: "/b"},
			&checkInForm{web.Shell{Title: "T"}, "/a", "/b", "/c", "Save", checkIn.CheckInSettings, web.Fields{field}, web.Field{}, nil, web.Fields{{Name: "c", Label: "C"}}, nil, preview{"every day", []time.Time{at}, time.UTC, ""}},
			&checkInForm{Shell: web.Shell{Title: "T"}, Action: "/a", Preview: "/b", Kept: checks.CheckInSettings{ScheduleType: checks.SimpleSchedule}, Next: preview{Problem: "Wrong."}},
		},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}
