package events

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
	"sett/internal/setttest/markup"
	"sett/internal/web"
)

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	full := web.Shell{Title: "Title", Heading: "-", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Now: at}
	full.Nav = accounts.Navigation{Project: accounts.NamedProject{ID: 1, Name: "Shop"}}
	a := asked{Q: "status:500", Period: periods[0], By: "path", Of: "duration"}
	event := insight.Event{At: insight.Micros(at), Fields: []insight.Field{insight.TextField("event_type", "request"), insight.TextField("path", "<b>"), insight.NumberField("duration", 1.5)}}
	run := insight.NewRun(a.plan(at))
	if err := run.Add(insight.FrameOf([]insight.Event{event})); err != nil {
		t.Fatal(err)
	}
	result := run.Finish()
	result.Missing, result.Unread, result.Since, result.Dropped = []string{"No event has it."}, 1, insight.Micros(at), true
	grouped := searchPage{Shell: full, Asked: a, Periods: periods, Keys: []string{"path"}, Usage: "1 event today.", Live: "/live", Any: true}
	grouped.fill(result, a.plan(at))
	listed := searchPage{Shell: full, Asked: asked{Period: periods[0]}, Periods: periods, Any: true}
	plan := listed.Asked.plan(at)
	run = insight.NewRun(plan)
	if err := run.Add(insight.FrameOf([]insight.Event{event})); err != nil {
		t.Fatal(err)
	}
	listed.fill(run.Finish(), plan)
	if len(listed.Rows) != 1 || len(grouped.Groups) != 1 || grouped.Groups[0].Cells[1] != "1.5" {
		t.Errorf("rows = %+v, groups = %+v", listed.Rows, grouped.Groups)
	}
	markup.RenderAll(t, Area, map[string][]web.Page{
		"insights":      {searchPage{Shell: web.Shell{Heading: "-", Here: "/"}}, searchPage{Shell: full, Any: true, Asked: asked{Period: periods[0]}}, grouped, listed},
		"insights_live": {livePage{}, livePage{web.Shell{Title: "Live"}, a, "/s", "/b"}},
	})
}
