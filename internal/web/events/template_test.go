package events

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alarm"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/insight"
	"sett/internal/setttest/markup"
	"sett/internal/web"
	"sett/internal/web/draw"
)

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	full := web.Shell{Title: "Title", Heading: "-", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Now: at}
	full.Nav = accounts.Navigation{Project: accounts.NamedProject{ID: 1, Name: "Shop"}}
	event := insight.Event{At: insight.Micros(at), Fields: []insight.Field{insight.TextField("event_type", "request"), insight.TextField("path", "<b>"), insight.NumberField("duration", 1.5)}}
	pages := []web.Page{&searchPage{Shell: web.Shell{Heading: "-", Here: "/"}}, &searchPage{Shell: full, Any: true, Wrong: &wrong{"Wrong.", "a", "<b>", "c"}}}
	for _, q := range []string{"status:500", "stats count(), avg(duration) by path", "stats avg(duration) by bin(1m), path", "fields @ts, path, duration | sort path"} {
		a := asked{Q: q, Period: periods[0], Saved: 1}
		var err error
		if a.Question, err = insight.Ask(a.Q); err != nil {
			t.Fatal(err)
		}
		plan := a.plan(at, 10)
		run := insight.NewRun(plan)
		if err := run.Add(insight.FrameOf([]insight.Event{event})); err != nil {
			t.Fatal(err)
		}
		found, err := run.Finish()
		if err != nil {
			t.Fatal(err)
		}
		found.Missing, found.Unread, found.Since, found.Dropped = []string{"No event has it."}, 1, insight.Micros(at), true
		page := &searchPage{Shell: full, Asked: a, Periods: periods, Usage: "1 event today.", Live: "/live", Any: true, Saved: []saved{{ID: 1, Name: "<i>", Path: "/p", Mine: true, Shared: true, By: "Ann", Q: q}}, Changed: true}
		page.Open = &page.Saved[0]
		page.show(found, plan)
		pages = append(pages, page)
	}
	page, named := pages[2].(*searchPage), full
	named.Heading = ""
	markup.RenderAll(t, Area, map[string][]web.Page{
		"insights": pages, "insights_live": {livePage{}, livePage{web.Shell{Title: "Live"}, page.Asked, "/s", "/b"}},
		"wall":       {newWall(&dashboardPage{Shell: full}, ""), newWall(&dashboardPage{Shell: full, Period: periods[0], board: board{Widgets: []*widgetView{{ID: "a", Title: "<b>", Result: page.Result}}}}, "/d?a=<b>")},
		"dashboards": {&dashboardList{Shell: named}, &dashboardList{Shell: named, Dashboards: []dashboardLine{{"<b>", "/d", "1 widget", full.Moment(at)}}, Templates: dashboard.Templates(), New: []web.Field{{Name: "title", Label: "Title", Kind: "text"}}}},
		"dashboard": {&dashboardPage{Shell: full, board: board{Path: "/d"}}, &dashboardPage{Shell: full, MayEdit: true, Periods: periods, Others: []web.Choice{{Value: "/d", Label: "<i>"}}, Add: fieldsOf("new", dashboard.Widget{Type: dashboard.Query}), Rename: web.Field{Name: "title", Label: "Title", Kind: "text"}, board: board{Path: "/d", Edits: true, Version: "1", Widgets: []*widgetView{
			{ID: "a", Title: "<b>", Subtitle: "<i>", Result: page.Result, Link: "/q", Fields: fieldsOf("a", dashboard.Widget{Type: dashboard.Query})},
			{ID: "b", Title: "Table", Result: page.Result, Table: true},
			{ID: "c", Title: "Numbers", Result: page.Result, Tiles: []tile{{"<b>", "5"}}},
			{ID: "d", Title: "Wrong", Wrong: &wrong{"Wrong.", "a", "<b>", "c"}},
			{ID: "e", Title: "Errors", Lines: []line{{Name: "<b>", Path: "/f", Text: "x", State: &web.State{Mood: web.Fine, Word: "Up"}}, {Name: "plain"}}},
			{ID: "f", Title: "None", Empty: "No errors."},
		}}}},
		"alarms":     {&alarmList{Shell: full}, &alarmList{Shell: full, Alarms: []alarmRow{{alarm.Alarm{LastChecked: at}, "/p", web.State{}, "Raised."}, {}}}},
		"alarm_form": {&alarmForm{Shell: named, Action: "/a", Button: "Save", Cancel: "/c", Preview: "/p"}, &alarmForm{Shell: named, Action: "/a", Button: "Save", Cancel: "/c", Preview: "/p", Trial: &alarmTrial{Says: "It would <b>.", Failed: "Wrong.", Unknown: "Off.", Since: at}}, &alarmForm{Shell: named, Action: "/a", Button: "Save", Cancel: "/c", Preview: "/p", Fields: web.Fields{{Name: "name", Label: "Name", Kind: "text"}}}},
		"alarm": {
			&alarmSheet{Shell: full, Alarm: alarm.New("a", 1, alarm.Settings{Name: "<i>", Period: "5m"}, at)},
			&alarmSheet{
				Shell: full, Alarm: alarm.Alarm{Settings: alarm.Settings{Period: "5m", Description: "D"}, Error: "Wrong.", State: alarm.Raised, StateSince: at, LastChecked: at}, Lag: "1 minute",
				Chart: draw.NewLines(draw.Axis{From: at, To: at.Add(time.Hour), Layout: "15:04"}, []draw.Values{{Name: "Rows", Values: []float64{1, 2}}}, nil, nil, ""), Unknown: "The server did not run.", Changes: []alarmChange{{Says: "7 rows", Path: "/q"}},
			},
		},
		"insights_saved": {&savedPage{Shell: named}, &savedPage{Shell: named, Saved: page.Saved}},
	})
}
