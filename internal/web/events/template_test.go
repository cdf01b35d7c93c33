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
		found := run.Finish()
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
		"insights_saved": {&savedPage{Shell: named}, &savedPage{Shell: named, Saved: page.Saved}},
	})
}
