package fault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/searchdb"
)

// another is a second project of the shop with one error, which members see or not.
func (o *shop) another(name, class string, seen bool) (project int64, f faults.Fault) {
	o.t.Helper()
	store := o.App.Store()
	project, report := o.project(name)
	if seen {
		if _, err := store.Accounts.CreateTeam(o.t.Context(), o.Clock.Now(), o.Setup.AccountID, name, []int64{project}, map[int64]bool{o.ann: false}); err != nil {
			o.t.Fatal(err)
		}
	}
	o.Clock.Push(time.Second)
	report(plain(class))
	found, _, err := store.Search.ListFaults(o.t.Context(), o.Clock.Now(), project, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 1}})
	if err != nil || len(found) != 1 {
		o.t.Fatal(found, err)
	}
	return project, found[0]
}

// One list has the errors of all projects that its reader sees, and no others; it finds, counts, exports and narrows them as the list of a project.
func TestListOfAllProjects(t *testing.T) {
	t.Parallel()
	o := open(t)
	boom := o.report(plain("Boom"))
	api, bang := o.another("API", "Bang", true)
	o.another("Hidden", "Secret", false)
	page := o.member.Get("/faults").Want(200, ">All errors</h1>", ">Unresolved 2</a>", `<span class="strong">API</span>`, o.path(boom)+"?", fmt.Sprintf("/projects/%d/faults/%d?", api, bang.ID)).CheckPage()
	page.Lacks("Secret", "Hidden", "data-live")
	if strings.Index(page.Body, "<strong>Bang") > strings.Index(page.Body, "<strong>Boom") {
		t.Error("the error that occurred last is not the first")
	}
	o.member.Get("/faults?q=class:Boom").Want(200, "1 error</span>", "<strong>Boom").CheckPage().Lacks("<strong>Bang")
	o.member.Get(fmt.Sprintf("/faults?q=&project=%d", api)).Want(200, "<strong>Bang", fmt.Sprintf(`<option value="%d" selected>API`, api)).CheckPage().Lacks("<strong>Boom")
	links, shown := facetsOf(page)
	if got := strings.Join(shown, ", "); !strings.Contains(got, "production 2") || strings.Contains(got, "Secret") {
		t.Errorf("the panel shows %s", got)
	}
	o.member.Get(links["Bang"]).Want(200, "<strong>Bang").Lacks("<strong>Boom")
	o.member.Get("/faults?q=clas:Bang").Want(422, `>class:Bang</a>?`).CheckPage()
	o.member.Get("/faults.csv?q=").Want(200, "Boom", "Bang").Lacks("Secret")
	o.admin.Get("/faults").Want(200, "Secret")
	o.outsider.Get("/faults").Want(200, "No matching errors").CheckPage().Lacks("Boom", "Bang", `id="bulk"`)
	o.anonymous.Get("/faults").Leads("/login?next=%2Ffaults")
}

// A change of errors of several projects is one in each of them, with its own entry in the audit log, and only where the user may work.
func TestErrorsOfSeveralProjectsAreChanged(t *testing.T) {
	t.Parallel()
	o := open(t)
	boom := o.report(plain("Boom"))
	api, bang := o.another("API", "Bang", true)
	hidden, secret := o.another("Hidden", "Secret", false)
	box := func(project int64, f faults.Fault) string { return fmt.Sprintf("%d.%d", project, f.ID) }
	resolved := func(want ...bool) {
		t.Helper()
		for i, f := range []faults.Fault{boom, bang, secret} {
			if got := o.reread(f).Resolved; got != want[i] {
				t.Errorf("%s is resolved: %t", f.Class, got)
			}
		}
	}
	o.Clock.Push(time.Minute)
	o.member.Post("/faults/bulk", "action", "resolve").Want(422, "Select at least one error.").CheckPage()
	o.member.Post("/faults/bulk", "q", "", "action", "resolve", "id", box(hidden, secret), "id", box(api, secret), "id", box(hidden, boom)).Leads("/faults?q=&done=bulk_resolved&n=0")
	resolved(false, false, false)
	o.outsider.Post("/faults/bulk", "action", "resolve", "id", box(api, bang)).Want(422)
	resolved(false, false, false)

	o.Clock.Push(time.Minute)
	done := o.member.Post("/faults/bulk", "q", "", "action", "resolve", "id", box(boom.ProjectID, boom)+","+box(api, bang))
	done.Leads("/faults?q=&done=bulk_resolved&n=2" + o.undo("bulk_resolved"))
	resolved(true, true, false)
	o.wantEntries("changeFaultsPage", fmt.Sprint(boom.ProjectID), fmt.Sprint(api))
	page := o.member.Get(done.Header.Get("Location")).Want(200, "2 errors resolved.", `action="/faults/undo"`).CheckPage()
	_, at, _ := strings.Cut(page.Body, `name="at" value="`)
	at, _, _ = strings.Cut(at, `"`)
	o.Clock.Push(time.Minute)
	o.member.Post("/faults/undo", "what", "resolved", "at", at, "next", "/faults?q=").Leads("/faults?q=&done=undone")
	resolved(false, false, false)
	o.wantEntries("undoFaults", fmt.Sprint(boom.ProjectID), fmt.Sprint(api))

	o.member.Post("/faults/bulk", "q", "class:B*", "action", "delete", "all", "1").Want(200, "Delete <strong>2 errors</strong>", `action="/faults/bulk"`).CheckPage()
	o.member.Post("/faults/bulk", "action", "merge", "id", box(boom.ProjectID, boom)+","+box(api, bang)).Want(422, "Select errors of one project to merge them.").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post("/faults/bulk", "q", "", "action", "ignore", "all", "1").Leads("/faults?q=&done=bulk_ignored&n=2" + o.undo("bulk_ignored"))
	if !o.reread(boom).Ignored || !o.reread(bang).Ignored || o.reread(secret).Ignored {
		t.Error("not all that match are ignored, or what is not seen is")
	}
	o.Clock.Push(time.Minute)
	o.member.Post("/faults/columns", "q", "", "column", "events").Leads("/faults?q=")
	o.member.Get("/faults?q=").Want(200, ">Events</th>").CheckPage().Lacks(">Users</th>")
}

// wantEntries expects an entry of a route in the audit log since the clock was moved for each of some projects.
func (o *shop) wantEntries(name string, projects ...string) {
	o.t.Helper()
	var log struct {
		Results []struct {
			Action string
			Target map[string]string
		}
	}
	o.Get(fmt.Sprintf("/v2/accounts/%s/audit_log?created_after=%d", o.Setup.AccountID, o.Clock.Now().Unix())).Into(&log)
	var got []string
	for _, e := range log.Results {
		if e.Action == name {
			got = append(got, e.Target["project_id"])
		}
	}
	if len(got) != len(projects) || strings.Join(got, " ") != strings.Join(projects, " ") && strings.Join(got, " ") != projects[1]+" "+projects[0] {
		o.t.Errorf("%s leaves entries of %v in %+v, want %v", name, got, log.Results, projects)
	}
}
