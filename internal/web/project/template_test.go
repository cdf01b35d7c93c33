package project

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/setttest/markup"
	"sett/internal/store/deliverydb"
	"sett/internal/store/sheet"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	full := web.Shell{Title: "Title", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Problem: "Wrong.", Now: at}
	full.Nav = accounts.Navigation{
		Project: accounts.NamedProject{ID: 1, Name: "Shop"}, Account: accounts.NamedAccount{ID: "a", Name: "Acme"},
		Accounts: []accounts.NamedAccount{{ID: "a", Name: "Acme", Role: accounts.Owner}, {ID: "b", Name: "Other", Role: accounts.Member}},
		Projects: []accounts.NamedProject{{ID: 1, Name: "Shop", AccountID: "a"}},
	}
	deploy := faults.Deploy{ID: 2, ProjectID: 1, Environment: "production", Revision: "r1", Previous: "r0", Repository: "https://example.test/r", LocalUsername: "josh", CreatedAt: at}
	line := stats.ProjectLine{ID: 1, AccountID: "a", Name: "Shop", Unresolved: 3, New: 1, Mine: 1, LastDeploy: &deploy, Hours: make([]int64, 24), Deployed: at}
	lines := rowsOf(full, []stats.ProjectLine{line, {ID: 2, Hours: make([]int64, 24), Active: true}})
	var entries []faults.TimelineEntry
	for _, kind := range faults.TimelineKinds {
		entries = append(entries, faults.TimelineEntry{Kind: kind, At: at, ProjectID: 1, SubjectID: "2", Title: "Title", Detail: "Detail", Environment: "production", By: "josh", Length: time.Minute})
	}
	happened := happenings(full, entries, true)
	chart := draw.NewBars(draw.Axis{From: at, To: at.Add(time.Hour), Layout: "15:04"}, []int64{1, 2}, nil, nil, "events")
	pulse := stats.ProjectPulse{ProjectLine: line, Worst: []stats.LateCheckIn{{Name: "backup"}}}
	fault := pressing{
		triage.AttentionFault{Fault: faults.Fault{ID: 3, ProjectID: 1, Class: "Boom", Message: "m", Component: "c", Action: "a", Environment: "production"}},
		draw.NewSpark([]int64{1}, -1, "events"), reasonStates([]triage.FaultReason{triage.NewFault, triage.RisingFault}),
	}
	row := deployRow{deploy, faults.DeployEffect{Resolved: 1, New: 2, Reopened: 3, Until: at, HourBefore: 1, HourAfter: 2}, full.Moment(at)}
	var releases []releaseRow
	for _, state := range []release.State{release.First, release.Early, release.Better, release.Worse, release.Same} {
		one := release.Release{ProjectID: 1, Version: "shop@1.2/a", Ref: "main", CreatedAt: at, ReleasedAt: at, FirstSeenAt: at, LastSeenAt: at, Events: 7}
		report := release.Report{
			Release: one, New: 1, Reopened: 2, Resolved: 3, Sessions: release.SessionSums{Total: 9, Errored: 2, Crashed: 1, Abnormal: 1}, Previous: "shop@1.1",
			Verdict: release.Verdict{State: state, Reasons: []string{"3 errors new."}},
		}
		releases = append(releases, releaseRow{report, full.Moment(at), full.Moment(at), full.Moment(at), full.Moment(at), []deployOfRelease{{deploy, full.Moment(at)}}})
	}
	field := web.Field{Name: "n", Label: "Label", Kind: "text", Value: "v", Problem: "Problem."}
	came := tailed{faults.TailedNotice{FaultID: 3, Class: "Boom", Message: "m", Environment: "production"}, 1, full.Moment(at)}
	nothing := web.Empty{Title: "T", Text: "t", Action: "A", Link: "/x", Manual: "/docs"}
	languages := languagesFor("https://sett.test", 1, "key", "browser key")
	pager := web.Pager{Newer: "/a", Older: "/b", Swap: "#list"}
	reportRows := []reportRow{{stats.ReportRow{Label: "Boom", Count: 3}, barOf(3, 3), ""}, {stats.ReportRow{Label: "7", Count: 3}, barOf(3, 3), web.AffectedUser("7")}}
	return map[string][]web.Page{
		"acknowledge": {&acknowledgeForm{}, &acknowledgeForm{Shell: full, Path: "/a", Page: "/b", Of: deliverydb.Acknowledging{Project: "Shop", Problem: &alerts.Problem{Subject: "site x", Name: "Front"}}}, &acknowledgeForm{
			Shell: full, Mail: true, Of: deliverydb.Acknowledging{Problem: &alerts.Problem{Acknowledgement: &alerts.Acknowledgement{At: at}}},
		}},
		"concern":     {downPage{}, downPage{full, happened, true}},
		"home":        {homePage{}, homePage{Shell: full, Lines: lines, Happened: happened, Concerns: []concern{{"down", "Down now", "/concerns/down", happened}}, MayMake: true}, homePage{Shell: full, Nothing: nothing}, homePage{Shell: full, Lines: lines}},
		"projects":    {listPage{Shell: headed(full), Nothing: nothing}, listPage{headed(full), "x", lines, pager, true, nothing}, listPage{Shell: headed(full), Named: "x"}},
		"project_new": {&newPage{}, &newPage{full, full.Nav.Account, full.Nav.Accounts, web.Fields{field}}},
		"project": {
			overviewPage{Shell: headed(full)},
			overviewPage{headed(full), pulse, tilesOf(pulse, full), periodTabs(1, stats.PastDay), "hour", chart, []pressing{fault}, happened, true, guideOf(sheet.Guide{Language: "js", Deploys: true}, full.Nav.Project, false)},
		},
		"timeline": {timelinePage{}, timelinePage{full, []kindTab{{"All", "/x", true}}, days(happened, at), pager, false}},
		"deploys":  {deploysPage{Shell: headed(full)}, deploysPage{headed(full), "production", []string{"production", "staging"}, []deployRow{row}, pager, nothing}},
		"deploy":   {deployPage{}, deployPage{full, row, "https://example.test/c", "https://example.test/r", chart, happened, happened, happened, full.Moment(at)}},
		"releases": {releasesPage{Shell: headed(full), Nothing: nothing}, releasesPage{headed(full), releases, pager, nothing}},
		"release":  {releasePage{}, releasePage{full, releases[0], "https://example.test/r", happened, happened, happened, []environmentOfRelease{{"production", deployOfRelease{deploy, full.Moment(at)}, []deployOfRelease{{deploy, full.Moment(at)}}, 2}, {Latest: deployOfRelease{deploy, full.Moment(at)}}}, []commitOfRelease{{release.Commit{SHA: "8c5f2a1d0e9b7c6a", Message: "Add discounts", Author: "Ann"}, "https://example.test/c"}, {}}}},
		"reports": {
			reportPage{Shell: headed(full)},
			reportPage{headed(full), stats.NoticesPerDay, "Day", "2026-11-01", "2026-11-02", "production", []string{"production"}, reportRows, 3, 2, chart, web.ExportLinks{CSV: "/x.csv", JSON: "/x.json"}, true},
		},
		"project_setup": {setupPage{}, setupPage{full, accounts.Project{ID: 1}, []languageTab{{"Go", "/x", true}}, languages[0], nil, nil, moreSnippets("https://sett.test", "key"), "https://sett.test:8080", heard{true, &came, true, "/s"}, true}, setupPage{Shell: full, Chosen: languages[0], Framework: &frameworksFor("python", "https://sett.test", 1, "key", "key")[0], Tabs: []languageTab{{"Django", "/x", true}}}},
		"live":          {livePage{}, livePage{full, []tailed{came}, "/s", "/setup"}},
		"first_run":     {&firstRunPage{}, &firstRunPage{web.Shell{Title: "T", Problem: "Wrong."}, "x", web.Fields{field}}},
	}
}

// headed is the shell of a page that renders its own heading.
func headed(s web.Shell) web.Shell {
	s.Heading = "-"
	return s
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}

func TestWeekNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now, before int64
		want        string
	}{
		{0, 0, "same as last week"},
		{5, 0, "none last week"},
		{100, 10, "10× last week"},
		{15, 10, "50% above last week"},
		{88, 100, "12% below last week"},
		{100, 100, "same as last week"},
		{1001, 1000, "same as last week"},
		{0, 9, "100% below last week"},
	} {
		if got := weekNote(c.now, c.before); got != c.want {
			t.Errorf("%d after %d: %s, want %s", c.now, c.before, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for want, share := range map[string]checks.TimeShare{
		"–": {}, "100%": {Measured: time.Hour}, "99.99%": {Measured: 1000 * time.Hour, Down: time.Second}, "99.97%": {Measured: 1e6, Down: 300}, "0.00%": {Measured: 1, Down: 1},
	} {
		if got := percent(share); got != want {
			t.Errorf("%+v: %s, want %s", share, got, want)
		}
	}
}

func TestPartsOfAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][3]string{
		"http://localhost:8080": {"localhost", "8080", "false"}, "https://sett.test": {"sett.test", "443", "true"},
		"http://sett.test/errors": {"sett.test", "80", "false"}, "http://[::1]:80": {"[::1]", "80", "false"}, "https://[::1]": {"[::1]", "443", "true"},
	} {
		if got := [3]string{hostOf(address), portOf(address), secureOf(address)}; got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}
