package fault

import (
	"testing"
	"time"

	"sett/internal/base/markdown"
	"sett/internal/event/payload"
	"sett/internal/ingest/group"
	"sett/internal/ingest/sample"
	"sett/internal/ingest/unminify"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/setttest/markup"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// full is a shell in which something stands everywhere.
func full() web.Shell {
	return web.Shell{Title: "Title", Heading: "-", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Undo: web.Undo{Path: "/undo", Fields: []web.Field{{Name: "at", Value: "1"}}}}
}

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	line := 2
	f := faults.Fault{
		ID: 1, ProjectID: 1, Class: "E", Message: "m", Component: "C", Action: "a", Environment: "production", Tags: []string{"t"}, CreatedAt: at,
		Assignee: &sett.Person{Name: "Ann"}, NoticesCount: 3,
	}
	n := faults.Notice{ID: sett.UUID{1}, Readable: true}
	n.Class, n.Request.URL, n.Request.User = "E", "https://a.test/", &payload.User{Email: "a@b.test"}
	n.Request.Context = map[string]any{"a": "b", "long": map[string]any{"x": "one\ntwo"}, "none": "[FILTERED]"}
	n.Environment.Hostname, n.Environment.Revision = "h", "r"
	n.Backtrace = []payload.Frame{{File: "a.go", Method: "m", Number: &line, Context: "app", Source: map[string]string{"1": "x", "2": "y"}}, {Method: "z", Context: "all"}}
	n.Causes = []payload.Cause{{Class: "C", Message: "m", Backtrace: n.Backtrace}}
	n.Breadcrumbs = []payload.Breadcrumb{{Category: "c", Message: "m", Timestamp: "2026-11-18T10:30:00Z", Metadata: map[string]any{"a": 1}}}
	e := newEvent(n, accounts.Project{ProjectSettings: accounts.ProjectSettings{UserURL: "https://a.test/[user_email]"}}, time.UTC)
	e.Older, e.Newer, e.Exports = "/o", "/n", "?notice=1"
	parts := []part{
		{1, "t", true, 1, []string{"Because."}, []going{{group.Step{KeyOfPart: triage.KeyOfPart{At: at}, Reason: "Line 1 became 2."}, "00ff"}}, at, ""},
		{2, "t", false, 1, nil, nil, at, "Ann"},
	}
	axis := draw.Axis{From: at, To: at.Add(time.Hour), Layout: "15:04"}
	scope := full()
	v := faultView{
		Shell: scope, Fault: f, Paused: "until then", Users: affected{1, false, []affectedUser{{nameUser("u", "https://a.test/"), 1}, {nameUser("v", ""), 1}}}, Period: stats.PastDay,
		Chart: draw.NewBars(axis, []int64{1, 2}, nil, nil, "events"), Change: []changeLine{{newSharedValue("revision", "4e1f9a2c0b7d4e1f9a2c0b7d4e1f9a2c0b7d4e1f"), 1, 90}, {newSharedValue("user", "7"), 1, 90}}, Breakdown: breakdown{2, []breakdownGroup{{"Browser", []breakdownValue{{"Firefox", "firefox 1", "/l", 60}, {Text: "Other", Share: 40}}}}},
		SameRequest: []sameRequest{{"/p", "C", "m", "Till", at}, {Path: "/q", Class: "D", At: at}},
		Event:       e, Trace: drawn(n, appFrames), History: chaptersOf([]entry{{ID: 1, Who: "Ann", At: at, Written: markdown.Comment("*hi*"), Mine: true, Body: "*hi*"}, {ID: 2, At: at, Event: "Reopened in r.", Named: revisionNamed{"Reopened in ", named{"r", "/r"}, "."}}, {ID: 3, Who: "Ines", At: at, Said: "<b>"}}),
		Earlier: "/x", Comment: commentField(true), Similar: []similar{{"/p", "t", "Cart#show", 1, web.State{}}}, Links: []link{{1, "#1", "https://a.test/", "Github"}, {}},
		Trackers: web.Choices("1", "GitHub"), Makers: web.Choices("1", "GitHub"), Parts: parts,
		People: web.Choices("", "Unassigned"), Explained: true, Issue: issueField(), Share: share{There: true, By: "Ann", At: at, Made: "https://a.test/share/x"},
	}
	v.Suspect = &suspect{named{"r", "/r"}, "/d", "2 min", "https://a.test/", []release.Commit{{SHA: "0123456789", Message: "m", Author: "Ann"}}, 2}
	v.Code = &code{
		Open: []codeChange{{"#12", "https://github.com/acme/shop/pull/12", "Round later", web.State{Mood: web.Info, Word: "Open"}, "checks passed", 1, 12}}, Changes: []codeChange{{"#12", "https://github.com/acme/shop/pull/12", "Round later", web.State{Mood: web.Info, Word: "Open"}, "checks passed", 1, 12}, {Name: "4f2a9c1"}},
		More: 2, Suspect: &codeCommit{"4f2a9c1", "https://a.test/", "4f2a9c1", "Round", "Ann", scope.Moment(at), "#11", "https://a.test/", "It changed line 2."}, Keyword: "Fixes SETT-1", Link: changeField(),
	}
	v.UserTrend = &trend{Now: 2, Unit: "user", Some: true}
	v.Spot, v.Trend, v.First, v.Last, v.Small, v.Zoomed = spot{"a.go:2", "m", "https://a.test/"}, &trend{Now: 2, Before: 1, Unit: "event"}, named{"r", "/r"}, named{"s", ""}, draw.NewSmallBars(axis, []int64{1, 2}, nil, nil, "events"), true
	v.Place, v.Seen, v.Badges, v.Said = place{asked{Q: "x"}, "m"}, seen{resolved: true}, []web.State{{Word: "Reopened"}}, "Reopened."
	v.Releases.Newest = "4e1f9a2c0b7d4e1f9a2c0b7d4e1f9a2c0b7d4e1f"
	raw := v
	raw.Code = &code{Quiet: "The error has no stack trace.", Suspect: &codeCommit{Change: "#1"}}
	raw.Trace = drawn(n, rawTrace)
	raw.Explained, raw.Breakdown = true, breakdown{}
	raw.Fault.ResolvedIn, raw.Releases = "r", faultdb.FaultReleases{Older: true}
	raw.Fault.Resolved, raw.Fault.Ignored, raw.Share.Disabled, raw.Trackers = true, true, true, nil
	l := list{
		Shell: scope, ProjectID: 1, Tabs: []tab{{"Unresolved", "/x", 1, true, true}, {Label: "Ignored", Address: "/y"}}, Environments: web.Choices("", "All"), Orders: web.Choices("", "Most recent"),
		Asked: asked{View: "compact"}, Matching: "30", Total: "30 errors", Pager: web.Pager{Older: "/o"}, Saved: []saved{{1, "s", "/s", true, true}}, Save: web.Field{Name: "name", Label: "Name"}, Live: "/l", Affected: web.AffectedUser("u"), Shown: triage.Columns(), Columns: []columnChoice{{"trend", "24 hours", true}, {"users", "Users", false}},
		Rows: []row{{Fault: f, Path: "/p", Where: "C#a", Badges: []web.State{{Mood: web.Info, Word: "New"}}, Spark: draw.NewSpark([]int64{1}, 0, "events"), Total: "3", Tagged: []string{"t"}, Struck: true}, {}},
	}
	titled := full()
	titled.Heading = ""
	someone := userFaults{Shell: scope, Affected: "u", Found: searchdb.UserFaults{Found: 2, Notices: 3, Projects: 1}, Of: 1, Pager: web.Pager{Older: "/o"}}
	someone.Rows = userFaultsOf(scope, "u", []searchdb.UserFault{{Fault: f, Project: "Shop", Count: 1, First: 1 << 60, Last: 1 << 61}, {}})
	return map[string][]web.Page{
		"notices":       {noticeList{}, noticeList{Shell: web.Shell{Title: "t"}, Fault: f, Rows: []noticeRow{{ID: "x", Message: "m"}}, Pager: web.Pager{Older: "/o"}}},
		"fault_users":   {userList{}, userList{Find: "x"}, userList{Users: affected{Count: 10000, Many: true}}, userList{Fault: f, Users: affected{Count: 3}, Most: 1, Rows: []affectedUser{{nameUser("u", "https://a.test/"), 1}, {nameUser("v", ""), 1}, {nameUser(" ", "https://a.test/"), 1}, {}}}},
		"shared":        {&sharedView{Shell: web.Shell{Heading: "-"}}, sharedFault(web.Shell{Heading: "-"}, f, &n)},
		"faults":        {list{Shell: web.Shell{Heading: "-"}}, l, list{Shell: full(), Wrong: "has a slip"}},
		"user_faults":   {userFaults{Shell: web.Shell{Heading: "-"}}, someone, userFaults{Shell: full(), Affected: "u", Found: searchdb.UserFaults{Left: make([]accounts.NamedProject, 3)}, Left: []leftProject{{"Shop", "/p"}}, Of: 9}},
		"faults_delete": {deletion{}, deletion{Shell: web.Shell{}, Count: 2, IDs: []string{"1", "2.3"}}, deletion{All: true, Count: 1}},
		"fault_merge":   {mergeView{Shell: titled}, mergeView{Shell: titled, Find: "x", Wrong: "has a slip"}, mergeView{Shell: titled, Fault: f, Into: web.Field{Name: "into_id", Label: "Or"}, Candidates: []mergeCandidate{{mergeRow: newMergeRow(titled, f), Lines: []group.Line{{Name: "Class", This: "a", That: "b"}, {Name: "File", This: "c", That: "c"}, {Name: "Line", This: "", That: "1"}}, Apart: "Kept apart by: class"}}}},
		"fault_grouping": {
			&groupingView{Shell: titled}, &groupingView{Shell: titled, Fault: f, Note: "Note."},
			&groupingView{
				Shell: titled, Fault: f, Parts: parts, Notice: sett.UUID{1}, Rules: "/r",
				Explained: &sample.Explanation{Parts: []group.Part{{Name: "class", Value: "A", By: "b"}, {Name: "line"}}, Frames: []sample.FrameNote{{Number: 1, Place: "a.rb", App: true, Decides: true, By: "c"}, {}}},
			},
		},
		"faults_merge":       {mergeLot{Shell: titled}, mergeLot{Shell: titled, Apart: "a, b"}, mergeLot{Shell: titled, ProjectID: 1, Part: sett.Page{Mark: "m", Back: true}, Rows: []mergeRow{newMergeRow(titled, f), newMergeRow(titled, faults.Fault{ID: 2})}}},
		"fault":              {&faultView{Shell: web.Shell{Heading: "-"}}, &v, &raw},
		"fault_environments": {comparison{Shell: web.Shell{Heading: "-"}}, comparison{Shell: full(), Environments: []string{"production", ""}, More: 2, Cut: true, Most: 3, Files: web.ExportLinks{CSV: "/c", JSON: "/j"}, Rows: []comparedRow{{"C", "m", "w", "/p", []comparedCell{{"production", "/p", 3, true, true}, {Environment: "none"}}, 3}}}},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}

// drawn is the trace of a notice, each frame of which has another reason why no source map applies.
func drawn(n faults.Notice, view string) trace {
	reason := unminify.Found
	t, _ := traceOf(n, view, "https://a.test/[file]#[line]", func(frames []payload.Frame) ([]payload.Frame, []unminify.Origin, error) {
		origins := make([]unminify.Origin, len(frames))
		for i := range origins {
			origins[i] = unminify.Origin{Reason: reason, URL: "https://a.test/a.js", Minified: unminify.Frame{File: "https://a.test/a.js", Line: 1, Column: 2}}
			reason++
		}
		return frames, origins, nil
	})
	return t
}
