package fault_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
)

// hidden reads the hidden fields of the form whose action ends so.
func hidden(t *testing.T, body, action string) (fields []string) {
	t.Helper()
	_, form, ok := strings.Cut(body, action+`"`)
	if !ok {
		t.Fatalf("there is no form to %s", action)
	}
	form, _, _ = strings.Cut(form, "</form>")
	for _, m := range regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`).FindAllStringSubmatch(form, -1) {
		fields = append(fields, m[1], strings.NewReplacer("&amp;", "&", "&#43;", "+").Replace(m[2]))
	}
	return fields
}

func TestUndoInTheFlash(t *testing.T) {
	t.Parallel()
	o := open(t)
	f, other := o.report(plain("One")), o.report(plain("Two"))
	o.member.Post(o.path(f)+"/state", "do", "on_deploy").Want(303)
	for what, holds := range map[string]func(faults.Fault) bool{
		"resolve": func(f faults.Fault) bool { return f.Resolved }, "ignore": func(f faults.Fault) bool { return f.Ignored },
	} {
		o.Clock.Push(time.Minute)
		flash := o.member.Get(o.member.Post(o.path(f)+"/state", "do", what).Want(303).Header.Get("Location")).Want(200, ">Undo</button>").CheckPage()
		form := hidden(t, flash.Body, o.list()+"/undo")
		if now := o.reread(f); !holds(now) {
			t.Fatalf("%s: %+v", what, now.FaultState)
		}
		o.admin.Post(o.list()+"/undo", form...).Leads(o.path(f) + "?done=undone_nothing") // it is not theirs
		o.Clock.Push(time.Minute)
		o.outsider.Post(o.list()+"/undo", form...).Want(404)
		o.member.Post(o.list()+"/undo", form...).Leads(o.path(f) + "?done=undone")
		o.wantEntry("undoFaults")
		if now := o.reread(f); holds(now) || !now.ResolveOnDeploy {
			t.Errorf("%s is undone: %+v", what, now.FaultState)
		}
		o.member.Post(o.list()+"/undo", form...).Leads(o.path(f) + "?done=undone_nothing") // it has left the history
	}
	ids := []string{"action", "resolve", "q", "", "id", fmt.Sprint(f.ID), "id", fmt.Sprint(other.ID)}
	flash := o.member.Get(o.member.Post(o.list()+"/bulk", ids...).Want(303).Header.Get("Location")).Want(200, "2 errors resolved.", ">Undo</button>").CheckPage()
	form := hidden(t, flash.Body, o.list()+"/undo")
	o.Post("/v1/notices", plain("Two")).Want(201)
	o.member.Post(o.list()+"/undo", form...).Leads(o.list() + "?q=&done=undone_some")
	if o.reread(f).Resolved || o.reread(other).Resolved {
		t.Error("what was resolved still is")
	}
	lacks(t, o.member.Get(o.path(f)+"?done=assigned&undo=1").Want(200).Body, ">Undo<")
	lacks(t, o.member.Get(o.path(f)+"?done=resolved").Want(200).Body, ">Undo<")
	o.member.Post(o.list()+"/undo", "what", "resolved", "at", "x").Want(422)
	o.member.Post(o.list()+"/undo", "what", "assigned", "at", fmt.Sprint(o.Clock.Now().UnixMicro())).Want(422)
	o.member.Post(o.list()+"/undo", "what", "resolved", "at", "1").Want(409)
	o.Clock.Push(time.Second)
	for _, next := range []string{"", "//evil.test/", "https://evil.test/", "/logout", "javascript:alert(1)"} {
		o.member.Post(o.list()+"/undo", "what", "resolved", "at", fmt.Sprint(o.Clock.Now().UnixMicro()), "next", next).Leads(o.list() + "?done=undone_nothing")
	}
}

// Errors that recurred after the list was rendered are not changed by a bulk action.
func TestListLeavesWhatCameBack(t *testing.T) {
	t.Parallel()
	o := open(t)
	back, same := o.report(plain("Back")), o.report(plain("Same"))
	o.member.Post(o.path(back)+"/state", "do", "resolve").Want(303)
	o.Clock.Push(time.Second)
	form := hidden(t, o.member.Get(o.list()+"?q=").Want(200).CheckPage().Body, o.list()+"/bulk")
	o.Clock.Push(time.Millisecond)
	o.Post("/v1/notices", plain("Back")).Want(201)
	o.Clock.Push(time.Second)
	ticked := append(form, "id", fmt.Sprint(back.ID), "id", fmt.Sprint(same.ID))
	sure := o.member.Post(o.list()+"/bulk", append(ticked, "action", "delete")...).Want(200).CheckPage()
	o.member.Post(o.list()+"/bulk", append(ticked, "action", "ignore")...).Leads(o.list() + "?q=&done=bulk_ignored_some&n=1" + o.undo("bulk_ignored"))
	if o.reread(back).Ignored || !o.reread(same).Ignored {
		t.Error("what came back is ignored, or what did not is not")
	}
	o.member.Get(o.list()+"?q=&done=bulk_ignored_some").Want(200, "except those that changed since the list was loaded")
	o.member.Post(o.list()+"/bulk", append(hidden(t, sure.Body, o.list()+"/bulk"), "id", fmt.Sprint(back.ID))...).Leads(o.list() + "?q=&done=bulk_deleted_some&n=0")
	o.member.Get(o.path(back)).Want(200)
}

func TestTagsInBulk(t *testing.T) {
	t.Parallel()
	o := open(t)
	one, two := o.report(rich), o.report(plain("Two"))
	path := o.list() + "/bulk"
	for _, bad := range []string{"", " , ", strings.Repeat("x", 101)} {
		o.member.Post(path, "action", "tag", "id", fmt.Sprint(one.ID), "tags", bad).Want(422, `role="alert"`, "tags must").CheckPage()
	}
	o.Clock.Push(time.Minute)
	o.member.Post(path, "action", "tag", "tags", "vip, <b>eu</b> ,vip", "all", "1", "q", "").Leads(o.list() + "?q=&done=bulk_tagged")
	o.wantEntry("changeFaultsPage")
	if got := fmt.Sprint(o.reread(one).Tags, o.reread(two).Tags); got != "[checkout vip <b>eu</b>] [vip <b>eu</b>]" {
		t.Errorf("they are tagged %s", got)
	}
	o.Clock.Push(time.Minute)
	o.member.Post(path, "action", "untag", "tags", "checkout,vip", "id", fmt.Sprint(one.ID)).Leads(o.list() + "?q=&done=bulk_untagged")
	o.wantEntry("changeFaultsPage")
	o.member.Get(o.path(one)).Want(200, "No longer tagged checkout, vip.", `<span class="chip">&lt;b&gt;eu&lt;/b&gt; <button`)
	o.member.Get(o.list()+"?q=tag:vip").Want(200, `href="`+o.path(two)+"?q=")
	o.outsider.Post(path, "action", "tag", "tags", "x", "id", fmt.Sprint(one.ID)).Want(404)
}

func TestUsersInTheList(t *testing.T) {
	t.Parallel()
	o := open(t)
	for i := range 3 {
		o.report(strings.Replace(rich, "dora@", fmt.Sprintf("dora%d@", i%2), 1))
	}
	o.member.Get(o.list()).Want(200, `<td class="num" data-label="Users">2</td>`).CheckPage()
}

func TestCommentsAreEdited(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.member.Post(o.path(f)+"/comments", "body", "Typo </textarea><script>alert(1)</script>").Want(303)
	page := o.member.Get(o.path(f)).Want(200, "Typo &lt;/textarea&gt;", ">Edit</summary>").CheckPage()
	_, rest, _ := strings.Cut(page.Body, o.path(f)+"/comments/")
	id, _, _ := strings.Cut(rest, "/")
	lacks(t, o.admin.Get(o.path(f)).Want(200).Body, ">Edit</summary>")
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/comments/"+id+"/edit", "body", " ").Want(422, "body can").CheckPage()
	o.member.Post(o.path(f)+"/comments/"+id+"/edit", "body", "Fixed **well**").Leads(o.path(f) + "?done=comment_changed")
	o.wantEntry("editComment")
	o.outsider.Post(o.path(f)+"/comments/"+id+"/edit", "body", "x").Want(404)
	o.member.Post(o.path(f)+"/comments/999/edit", "body", "x").Want(404)
	o.member.Get(o.path(f)).Want(200, "Fixed <strong>well</strong>")
}

func TestSimilarErrorsShareClassOrPlace(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	class := o.report(`{"error":{"class":"Boom","message":"elsewhere","backtrace":[{"number":"1","file":"[PROJECT_ROOT]/b.rb","method":"x","context":"app"}]}}`)
	place := o.report(strings.Replace(rich, `"class":"Boom"`, `"class":"Bang"`, 1))
	far := o.report(plain("Far"))
	page := o.member.Get(o.path(f)).Want(200, `<a href="`+o.path(class)+`">elsewhere</a>`, `<a href="`+o.path(place)+`">Bang: it broke`)
	lacks(t, page.Body, o.path(far)+`"`)
	lacks(t, o.member.Get(o.path(far)).Want(200).Body, "Similar errors")
}

func TestWhichEventItIs(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.member.Get(o.path(f)).Want(200, `<span class="small quiet">1 of 1</span>`)
	first := hrefOfNotice(o.member.Get(o.path(f) + "/notices").Body)
	for range 2 {
		o.Clock.Push(time.Second)
		o.report(rich)
	}
	o.member.Get(o.path(f)).Want(200, `3 of 3</span>`)
	o.member.Get(o.path(f)+"?notice="+first).Want(200, `1 of 3</span>`)
}

// hrefOfNotice is the id of the first notice that a page leads to.
func hrefOfNotice(body string) string {
	_, id, _ := strings.Cut(body, "?notice=")
	id, _, _ = strings.Cut(id, `"`)
	return id
}

func TestOccurrencesShowOutages(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	lacks(t, o.member.Get(o.path(f)).Want(200).Body, " down since ")
	o.outage("Front")
	for _, period := range []string{"day", "hour"} {
		o.member.Get(o.path(f)+"?period="+period).Want(200, "Front down since ", ", 1 outage").CheckPage()
	}
}

// outage has a site of the project be down from now on.
func (o *shop) outage(name string) {
	o.t.Helper()
	s := o.App.Store()
	site, err := s.Uptime.CreateSite(o.t.Context(), o.Clock.Now(), o.Setup.ProjectID, checks.SiteChange{Name: sett.Some(name), URL: sett.Some("https://front.test/")})
	if err != nil {
		o.t.Fatal(err)
	}
	for range 4 {
		o.Clock.Push(time.Minute)
		if _, err := s.Uptime.Occupy(o.t.Context(), o.Clock.Now(), checks.Virginia, "test", false, checks.AgentSilence); err != nil {
			o.t.Fatal(err)
		}
		down := checks.CheckReport{SiteID: site.ID, Location: checks.Virginia, Revision: site.Revision, Result: checks.ProbeResult{At: o.Clock.Now(), Status: 503, Reason: "no"}}
		if _, err := s.Uptime.RecordChecks(o.t.Context(), o.Clock.Now(), []checks.CheckReport{down}); err != nil {
			o.t.Fatal(err)
		}
	}
}

func TestTextsToCopy(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	page := o.member.Get(o.path(f)).Want(200, `data-copies>Copy</a>`, `data-copies>Copy as Markdown</a>`)
	_, rest, _ := strings.Cut(page.Body, o.path(f)+".txt")
	query, _, _ := strings.Cut(rest, `"`)
	got := o.member.Get(o.path(f)+".txt"+query).Want(200, "Boom: it broke", "    app/cart.rb:2 in total", "Caused by Root: ")
	if kind := got.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" || !strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the text is %s under %s", kind, got.Header.Get("Content-Security-Policy"))
	}
}

// A deletion of many errors continues after its response, and the list says so.
func TestDeletionsOfManyGoOnAfterTheAnswer(t *testing.T) {
	t.Parallel()
	o := open(t)
	var reports []*faults.Report
	for i := range triage.MostBulkFaults + 3 {
		class := fmt.Sprint("E", i)
		reports = append(reports, &faults.Report{
			AccountID: o.Setup.AccountID, ProjectID: o.Setup.ProjectID, Class: class, Environment: "production", Body: []byte(`{}`),
			Grouping: faults.Grouping{Key: [16]byte{1, byte(i), byte(i >> 8)}, Rule: 1, Basis: "class", Class: class, Environment: "production"},
		})
	}
	if _, err := o.App.Store().Intake.RecordNotices(t.Context(), o.Clock.Now(), accounts.Limits{}, intakedb.Intake{Reports: new(faultdb.Packer).Pack(reports)}); err != nil {
		t.Fatal(err)
	}
	o.member.Post(o.list()+"/bulk", "action", "delete", "all", "1", "q", "", "sure", "yes").Leads(o.list() + "?q=&done=bulk_deleting")
	for going := int64(1); going > 0; { // ends: a loop of the server deletes them
		var err error
		if going, err = o.App.Store().Faults.FaultsWaiting(t.Context(), o.Setup.ProjectID); err != nil {
			t.Fatal(err)
		}
	}
	for _, word := range []string{"bulk_deleting", "bulk_deleting_some"} {
		o.member.Get(o.list()+"?q=&done="+word).Want(200, "Errors deleted", "No matching errors").CheckPage()
	}
}
