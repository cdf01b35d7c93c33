package people

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/move"
	"sett/internal/sett/signin"
	"sett/internal/sett/stats"
	"sett/internal/setttest/markup"
	"sett/internal/store/accountdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	shell := web.Shell{Title: "Title", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Problem: "Wrong.", Now: at}
	full := page{shell, "a", "people"}
	fields := web.Fields{{Name: "n", Label: "Label", Kind: "text", Value: "v", Hint: "Hint.", Problem: "Problem."}}
	ann := sett.Person{ID: 1, Email: "a@b.test", Name: "Ann"}
	invited := []invitedRow{{Invitation: accounts.Invitation{ID: 1, Email: "x@y.test", CreatedBy: &ann}, Path: "/teams/1/invitations/1"}, {Path: "/x"}}
	crew := accounts.Team{ID: 1, Name: "Crew", Members: []accounts.TeamMember{{Person: ann, Admin: true}, {}}, Projects: []accounts.Project{{ID: 1}}}
	entry := newEntryRow(accounts.AuditEntry{ID: 1, At: at, User: ann, Token: "t", Action: "a", Target: map[string]string{"project_id": "1"}, Changes: []byte(`{"a":1}`)}, nil)
	settings := move.Settings{From: move.FromSentry, URL: "https://old.test", Org: "acme"}
	moving := newImportRow(move.Import{ID: 1, By: ann, Settings: settings, State: move.ImportRunning, Progress: move.Progress{Step: "reading errors of web", Done: 5, Total: 10, Left: 90_000}})
	report := move.Report{DryRun: true, Came: []move.Came{{Noun: "errors", Found: 1204, Made: 1204}}, Left: []move.Left{{Noun: "alert rules", Name: "web: Many", Why: "Why.", Page: move.ChannelsPage}, {Noun: "n"}}, More: 3}
	looked := newImportRow(move.Import{ID: 2, Settings: settings, DryRun: true, State: move.ImportDone, Report: &report})
	failed := newImportRow(move.Import{ID: 3, Settings: settings, State: move.ImportFailed, Problem: "It is wrong."})
	left := []leftRow{newLeftRow(report.Left[0], "a", "", []accounts.NamedProject{{ID: 1, Name: "Other"}, {ID: 7, Name: "Web"}}), newLeftRow(report.Left[1], "a", "", nil)}
	chart := draw.NewBars(draw.Axis{From: at, To: at.Add(time.Hour), Layout: "2 Jan"}, []int64{1, 0}, nil, nil, "events")
	return map[string][]web.Page{
		"people":         {&peopleList{}, &peopleList{page: full, Named: "nothing"}, &peopleList{full, "ann", []userRow{{accounts.AccountUser{Person: ann, Role: accounts.Owner}, true, web.Choices("Owner", "Owner")}, {}}, web.Pager{}, invited, fields, []teamTick{{1, "Crew", true}}, true}},
		"teams":          {&teamList{}, &teamList{full, []accounts.Team{crew}, true, fields}},
		"team":           {&teamView{}, &teamView{full, crew, web.ExportLinks{CSV: "/c", JSON: "/j"}, invited, nil, fields}},
		"account":        {&accountView{}, &accountView{full, accounts.Account{ID: "a", Name: "Acme", Email: "a@b.test"}, accounts.Owner, web.Fields{{Name: "name", Label: "Name", Kind: "text"}}}},
		"stats":          {statsView{}, statsView{full, at, accounts.UsageDay{Stored: 1}, 10, 10, 5, chart, []accounts.UsageDay{{Day: at}}, []stats.Discard{{Source: stats.ByClient, Category: "error", Reason: "sample_rate", Count: 1}}}},
		"account_tokens": {tokensView{}, tokensView{full, []tokenRow{{Over: true, AccountToken: accountdb.AccountToken{PersonalToken: signin.PersonalToken{Name: "A", ExpiresAt: at, UsedAt: at, UsedFrom: "192.0.2.1"}, MadeBy: "Ann"}}, {}}, fields, web.NewGrants(nil, true), "hba_x"}},
		"directory":      {&directoryView{}, fullDirectory(full, at, fields)},
		"imports":        {&importList{}, &importList{page: full, Sources: importSources, Source: importSources[0], Fields: importFields(importSources[0], nil), Imports: []importRow{moving, looked}, Open: true}, &importList{page: full, Sources: importSources, Source: importSources[3]}},
		"import":         {&importView{}, &importView{page: full, Import: moving, Said: "Said."}, &importView{page: full, Import: looked, Left: left, Token: fields}, &importView{page: full, Import: failed, Token: fields}, &importView{page: full, Import: newImportRow(move.Import{State: move.ImportDone, Report: &move.Report{}})}},
		"audit":          {auditList{}, auditList{full, []entryRow{entry, {}}, web.Pager{Older: "/o"}, fields}},
	}
}

func fullDirectory(full page, at time.Time, fields web.Fields) *directoryView {
	v := &directoryView{page: full, Settings: directory.Settings{HasToken: true, UsedAt: at, TokenMadeAt: at, ReadAt: at, Problem: "Wrong."}, Made: "sett_d_x", More: 1, Provider: "https://id.test"}
	v.Domains = []directory.Domain{{Name: "a.test", Proof: "p", VerifiedAt: at}, {Name: "b.test", Proof: "p"}}
	v.Groups, v.Roles, v.Teams = []groupRow{{directory.Group{ID: "g", Name: "Ops", Role: accounts.Admin, TeamID: 1}, v}}, web.Choices("Admin", "Admin"), []accounts.Team{{ID: 1, Name: "Crew"}}
	v.Domain, v.Rules = fields, nil
	return v
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}

// What a report leaves of a project leads to the page where it is made.
func TestPlacesOfReports(t *testing.T) {
	t.Parallel()
	projects := []accounts.NamedProject{{ID: 1, Name: "Other"}, {ID: 7, Name: "Web"}}
	for page, want := range map[string]string{
		move.SitesPage: "/projects/7/sites", move.CheckInsPage: "/projects/7/check_ins", move.ChannelsPage: "/projects/7/settings/channels",
		move.MaintenancePage: "/projects/7/maintenance", move.PagesPage: "/accounts/a/status_pages", move.PeoplePage: "/accounts/a/people", move.MergePage: "",
	} {
		for _, l := range []struct{ name, into string }{{"web: a rule", ""}, {"WEB", ""}, {"a job", "web"}} {
			if got := newLeftRow(move.Left{Name: l.name, Page: page}, "a", l.into, projects).Path; got != want {
				t.Errorf("%s of %q leads to %q, want %q", page, l.name, got, want)
			}
		}
	}
	if got := newLeftRow(move.Left{Name: "unknown", Page: move.SitesPage}, "a", "", projects).Path; got != "" {
		t.Errorf("what is of no project leads to %q", got)
	}
}
