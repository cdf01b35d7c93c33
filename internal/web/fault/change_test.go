package fault_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/web"
	"sett/internal/web/fault"
)

// oneChange is a form: where it is, what is sent, where it leads, and what is wrong with it at worst.
type oneChange struct {
	name, path string
	send       []string
	done       string
	bad        []string // refused
	why        string
	check      func(faults.Fault) bool
}

func TestChangesOfOneFault(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	me := fmt.Sprint(o.ann)
	project, err := o.App.Store().Accounts.ProjectWithoutCounts(t.Context(), o.Setup.ProjectID)
	if err != nil || len(project.Teams) == 0 {
		t.Fatalf("teams %v, error %v", project.Teams, err)
	}
	team := fmt.Sprint(-project.Teams[0].ID)
	for _, c := range []oneChange{
		{"changeFaultState", "/state", []string{"do", "on_deploy"}, "on_deploy", []string{"do", "burn"}, "do must be one of those listed", func(f faults.Fault) bool { return f.ResolveOnDeploy }},
		{"changeFaultState", "/state", []string{"do", "not_on_deploy"}, "not_on_deploy", nil, "", func(f faults.Fault) bool { return !f.ResolveOnDeploy }},
		{"changeFaultState", "/state", []string{"do", "ignore"}, "ignored", nil, "", func(f faults.Fault) bool { return f.Ignored }},
		{"changeFaultState", "/state", []string{"do", "unignore"}, "unignored", nil, "", func(f faults.Fault) bool { return !f.Ignored }},
		{"changeFaultState", "/state", []string{"do", "resolve"}, "resolved", nil, "", func(f faults.Fault) bool { return f.Resolved }},
		{"changeFaultState", "/state", []string{"do", "reopen"}, "reopened", nil, "", func(f faults.Fault) bool { return !f.Resolved }},
		{"assignFault", "/assign", []string{"assignee_id", me}, "assigned", []string{"assignee_id", "x"}, "assignee id must be the id of a user", func(f faults.Fault) bool { return f.Assignee.Called() == "Ann Other" }},
		{"assignFault", "/assign", []string{"assignee_id", ""}, "unassigned", []string{"assignee_id", "99999"}, "assignee_id", func(f faults.Fault) bool { return f.Assignee == nil }},
		{"assignFault", "/assign", []string{"assignee_id", team}, "assigned", []string{"assignee_id", "-999"}, "assignee", func(f faults.Fault) bool {
			return f.Assignee.IsTeam() && o.has(f, "Assigned to </span>"+f.Assignee.Name)
		}},
		{"assignFault", "/assign", []string{"assignee_id", ""}, "unassigned", nil, "", func(f faults.Fault) bool { return o.has(f, `value="`+team+`">Team `) }},
		{"followFault", "/follow", []string{"do", "follow"}, "followed", []string{"do", "hop"}, "do must be one of follow and unfollow", func(f faults.Fault) bool { return o.has(f, "Unfollow</button>") }},
		{"followFault", "/follow", []string{"do", "unfollow"}, "unfollowed", nil, "", func(f faults.Fault) bool { return o.has(f, ">Follow</button>") }},
		{"pauseFaultPage", "/pause", []string{"for", "day"}, "paused", []string{"for", "year"}, "for must be one of hour, day, week, 10, 100 and 1000", func(f faults.Fault) bool { return f.Paused(o.Clock.Now(), 1) }},
		{"unpauseFaultPage", "/unpause", nil, "unpaused", nil, "", func(f faults.Fault) bool { return !f.Paused(o.Clock.Now(), 1) }},
		{"pauseFaultPage", "/pause", []string{"for", "10"}, "paused", []string{"for", "11"}, "for must be one of", func(f faults.Fault) bool { return f.PausedCount == 11 }},
		{"pauseFaultPage", "/pause", []string{"number", "100", "of", "users"}, "paused", []string{"number", "0", "of", "users"}, "users must be from 1 to 1000", func(f faults.Fault) bool { return f.Paused(o.Clock.Now(), 1) }},
		{"pauseFaultPage", "/pause", []string{"number", "5", "of", "hour"}, "paused", []string{"number", "x", "of", "hour"}, "number must be a whole number", func(f faults.Fault) bool { return f.Paused(o.Clock.Now(), 1) }},
		{"tagFault", "/tags", []string{"add", "new, <i>vip</i> ,checkout"}, "tagged", []string{"add", " , "}, "tags must name a tag", func(f faults.Fault) bool { return fmt.Sprint(f.Tags) == "[checkout new <i>vip</i>]" }},
		{"tagFault", "/tags", []string{"remove", "checkout"}, "untagged", []string{"remove", "a,b"}, "tags must each be a text", func(f faults.Fault) bool { return fmt.Sprint(f.Tags) == "[new <i>vip</i>]" }},
		{"addComment", "/comments", []string{"body", "It is **me** <script>alert(1)</script> [x](javascript:alert(1)) https://a.test/"}, "commented", []string{"body", " "}, `id="body-problem">Please correct: body can&#39;t be blank`, func(f faults.Fault) bool { return f.CommentsCount == 1 }},
	} {
		o.Clock.Push(time.Minute)
		if c.bad != nil {
			o.member.Post(o.path(f)+c.path, c.bad...).Want(422, c.why).CheckPage()
		}
		o.outsider.Post(o.path(f)+c.path, c.send...).Want(404)
		o.member.Post(o.path(f)+c.path, c.send...).Leads(o.path(f) + "?done=" + c.done + o.undo(c.done))
		o.wantEntry(c.name)
		if now := o.reread(f); !c.check(now) {
			t.Errorf("%s %v: %+v", c.path, c.send, now)
		}
		o.member.Get(o.path(f)+"?done="+c.done).Want(200, `<p class="note ok" role="status">`).CheckPage()
	}
	o.member.Get(o.path(f)).Want(200, `<span class="chip">&lt;i&gt;vip&lt;/i&gt; <button class="link" name="remove" value="&lt;i&gt;vip&lt;/i&gt;"`, "Tagged new, &lt;i&gt;vip&lt;/i&gt;.", "No longer tagged checkout.")
	page := o.member.Get(o.path(f)).Want(200, "It is <strong>me</strong>", `<a href="https://a.test/" rel="nofollow noreferrer">`, "Marked as unresolved.")
	lacks(t, page.Body, "alert(1)</script>", `href="javascript:`)
	_, rest, _ := strings.Cut(page.Body, o.path(f)+"/comments/")
	id, _, _ := strings.Cut(rest, "/")
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f) + "/comments/" + id + "/delete").Leads(o.path(f) + "?done=comment_deleted")
	o.wantEntry("removeComment")
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f) + "/delete").Leads(o.list() + "?done=fault_deleted")
	o.wantEntry("deleteFaultPage")
	o.member.Get(o.path(f)).Want(404)
}

// undo is how an address says what can be undone now.
func (o *shop) undo(done string) string {
	if !strings.HasSuffix(done, "resolved") && !strings.HasSuffix(done, "_ignored") && done != "ignored" && !strings.HasSuffix(done, "merged") {
		return ""
	}
	return fmt.Sprint("&undo=", o.Clock.Now().UnixMicro())
}

// wantEntry expects one entry in the audit log since the clock was moved: that of a route.
func (o *shop) wantEntry(name string) {
	o.t.Helper()
	var log struct {
		Results []struct {
			Action  string
			Changes json.RawMessage
		}
	}
	o.Get(fmt.Sprintf("/v2/accounts/%s/audit_log?created_after=%d", o.Setup.AccountID, o.Clock.Now().Unix())).Into(&log)
	if len(log.Results) != 1 || log.Results[0].Action != name {
		o.t.Errorf("%s leaves entries %+v", name, log.Results)
	}
}

func TestResolveInTheNewestRelease(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich) // of the release 4e1f9a2
	o.Clock.Push(time.Minute)
	o.Post("/v1/deploys", map[string]any{"environment": "elsewhere", "revision": "shop@2.0/<b>"}).Want(201)
	o.member.Get(o.path(f)).Want(200, `name="resolved_in" value="shop@2.0/&lt;b&gt;" title="Events of older releases do not reopen it">Resolve in newest release, shop@2.0/&lt;b&gt;</button>`).CheckPage()
	o.Clock.Push(time.Minute)
	o.outsider.Post(o.path(f)+"/state", "resolved_in", "shop@2.0/<b>").Want(404)
	o.member.Post(o.path(f)+"/state", "resolved_in", "shop@3").Want(422, "check the spelling of &#34;shop@3&#34;")
	o.member.Post(o.path(f)+"/state", "do", "burn", "resolved_in", "shop@2.0/<b>").Want(422)
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/state", "resolved_in", "shop@2.0/<b>").Leads(o.path(f) + "?done=resolved_in" + o.undo("resolved"))
	o.wantEntry("changeFaultState")
	release := fmt.Sprintf(`in <a class="mono" href="/projects/%d/releases/shop@2.0%%2F%%3Cb%%3E">shop@2.0/&lt;b&gt;</a>`, o.Setup.ProjectID)
	page := o.member.Get(o.path(f)+"?done=resolved_in"+o.undo("resolved")).Want(200, "Resolved in that release.", "Undo</button>", release).CheckPage()
	lacks(t, page.Body, "resolved_in\" value", "still occurs in older releases")
	o.Clock.Push(time.Minute)
	o.report(rich)
	o.member.Get(o.path(f)).Want(200, release, "still occurs in older releases", ">Reopen</button>").CheckPage()
	o.report(strings.Replace(rich, "4e1f9a2", "shop@2.0/<b>", 1))
	page = o.member.Get(o.path(f)).Want(200, ">Resolve</button>", "Resolve in newest release")
	lacks(t, page.Body, "still occurs in older releases")
}

func TestPauseUntilEvents(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/pause", "number", "2", "of", "year").Want(422, "of must be one of users, hour and day").CheckPage()
	o.member.Post(o.path(f)+"/pause", "number", "1", "of", "users").Leads(o.path(f) + "?done=paused")
	o.member.Get(o.path(f)).Want(200, "‖ Paused until 1 more user is affected (0 so far), or until ", " by Ann Other. No notifications are sent.").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/pause", "number", "2", "of", "hour").Leads(o.path(f) + "?done=paused")
	o.member.Get(o.path(f)).Want(200, "until it reaches 2 events in an hour (0 now), or until ", "Paused until it reaches 2 events in an hour, or until ")
	for range 2 {
		o.report(rich)
	}
	if err := o.App.Store().Faults.EndPauses(t.Context(), o.Clock.Now(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	page := o.member.Get(o.path(f)).Want(200, "No longer paused: it reached 2 events in an hour.").CheckPage()
	lacks(t, page.Body, "No notifications are sent")
}

func TestMergeAndSplit(t *testing.T) {
	t.Parallel()
	o := open(t)
	one, two := o.report(plain("One")), o.report(plain("Two"))
	for _, bad := range []string{"", "x", "0", fmt.Sprint(one.ID), "99999"} {
		if got := o.member.Post(o.path(one)+"/merge", "into_id", bad); got.Status != 422 && got.Status != 404 {
			t.Errorf("merged into %q: %d", bad, got.Status)
		}
	}
	o.member.Post(o.path(one)+"/merge", "into_id", "x").Want(422, `id="into_id-problem"`, "Enter the number of another error in this project.").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(one)+"/merge", "into_id", o.App.BaseURL()+o.path(two)+"?notice=1").Leads(o.path(two) + "?done=merged" + o.undo("merged"))
	o.wantEntry("mergeFaultPage")
	o.member.Get(o.path(one)).Leads(o.path(two))
	for _, rest := range []string{"?notice=1&trace=all", "/notices", "/merge", "/users?find=a", ".md", ".json?notice=x", ".txt"} {
		o.member.Get(o.path(one) + rest).Leads(o.path(two) + rest)
		o.outsider.Get(o.path(one) + rest).Want(404)
	}
	o.member.Get(o.path(two)).Want(200, "Merged: One: m", o.path(one)+"/split").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(one) + "/split").Leads(o.path(one) + "?done=split")
	o.wantEntry("splitFaultPage")
	o.member.Get(o.path(one)).Want(200, "One")
}

func TestChangesOfMany(t *testing.T) {
	t.Parallel()
	o := open(t)
	var found []faults.Fault
	for _, class := range []string{"One", "Two", "Three"} {
		found = append(found, o.report(plain(class)))
	}
	path, id := o.list()+"/bulk", fmt.Sprint(found[0].ID)
	for _, bad := range [][]string{{"action", "resolve"}, {"action", "burn", "id", id}, {"action", "pause", "for", "x", "id", id}, {"action", "assign", "assignee_id", "x", "id", id}, {"action", "resolve", "all", "1", "q", "is:wrong"}} {
		o.member.Post(path, bad...).Want(422, `role="alert"`).CheckPage()
	}
	for _, c := range []struct {
		send  []string
		done  string
		holds func(faults.Fault) bool
	}{
		{[]string{"action", "resolve"}, "bulk_resolved", func(f faults.Fault) bool { return f.Resolved }},
		{[]string{"action", "unresolve"}, "bulk_reopened", func(f faults.Fault) bool { return !f.Resolved }},
		{[]string{"action", "ignore"}, "bulk_ignored", func(f faults.Fault) bool { return f.Ignored }},
		{[]string{"action", "unignore"}, "bulk_unignored", func(f faults.Fault) bool { return !f.Ignored }},
		{[]string{"action", "pause", "for", "week"}, "bulk_paused", func(f faults.Fault) bool { return !f.PausedUntil.IsZero() }},
		{[]string{"action", "unpause"}, "bulk_unpaused", func(f faults.Fault) bool { return f.PausedUntil.IsZero() }},
		{[]string{"action", "assign", "assignee_id", fmt.Sprint(o.ann)}, "bulk_assigned", func(f faults.Fault) bool { return f.Assignee != nil }},
	} {
		o.Clock.Push(time.Minute)
		n := "&n=1"
		if c.done == "bulk_assigned" {
			n = ""
		}
		o.member.Post(path, append(c.send, "id", id, "q", "class:One", "order", "newest")...).Leads(o.list() + "?order=newest&q=class%3AOne&done=" + c.done + n + o.undo(c.done))
		o.wantEntry("changeFaultsPage")
		if one, two := o.reread(found[0]), o.reread(found[1]); !c.holds(one) || c.holds(two) && c.send[1][:2] != "un" {
			t.Errorf("%v: %+v, %+v", c.send, one.FaultState, two.FaultState)
		}
	}
	o.Clock.Push(time.Minute)
	asOf := o.Clock.Now().Format(time.RFC3339)
	o.Clock.Push(time.Minute)
	late := o.report(plain("Late"))
	o.member.Post(path, "action", "delete", "all", "1", "q", "", "as_of", asOf).Want(200, "Delete <strong>3 errors</strong>").CheckPage()
	o.member.Post(path, "action", "delete", "all", "1", "q", "", "as_of", asOf, "sure", "yes").Leads(o.list() + "?q=&done=bulk_deleted&n=3")
	o.member.Get(o.path(found[2])).Want(404)
	o.member.Get(o.path(late)).Want(200)
}

func TestSavedSearches(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(rich)
	path := o.list() + "/searches"
	o.member.Post(path, "name", "", "q", "boom").Want(422, `id="name-problem"`, "name can&#39;t be blank").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post(path, "name", "Mine <b>", "q", "boom", "order", "frequent").Leads(o.list() + "?order=frequent&q=boom&done=search_saved")
	o.wantEntry("saveSearch")
	lacks(t, o.admin.Get(o.list()).Want(200).Body, "Mine &lt;b&gt;")
	page := o.member.Get(o.list()).Want(200, "Mine &lt;b&gt;", `href="`+o.list()+`?order=frequent&amp;q=boom"`)
	_, rest, _ := strings.Cut(page.Body, path+"/")
	id, _, _ := strings.Cut(rest, "/")
	o.outsider.Post(path + "/" + id + "/delete").Want(404)
	o.admin.Post(path + "/" + id + "/delete").Want(404)
	o.Clock.Push(time.Minute)
	o.member.Post(path + "/" + id + "/delete").Leads(o.list() + "?done=search_deleted")
	o.wantEntry("deleteSearch")
}

// Each form of the room is one that a test of this package sends and looks for in the audit log, or has a reason not to be.
func TestEveryChangeIsLookedAt(t *testing.T) {
	t.Parallel()
	looked := "changeFaultState assignFault tagFault pauseFaultPage unpauseFaultPage addComment removeComment editComment undoFaults deleteFaultPage mergeFaultPage splitFaultPage separateFaultKey changeFaultsPage chooseColumns saveSearch deleteSearch changeAllFaults chooseAllColumns undoAllFaults " +
		"followFault askForIssue linkIssue unlinkIssue shareFaultPage unshareFaultPage linkChange unlinkChange"
	for _, route := range fault.Area(new(web.Pages)).Routes {
		if route.Method != http.MethodGet && !strings.Contains(" "+looked+" ", " "+route.Name+" ") {
			t.Errorf("%s is tested nowhere", route.Name)
		}
	}
}

func TestIssues(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.member.Post(o.path(f)+"/link", "channel_id", "1", "url", "https://github.com/acme/shop/issues/12").Want(422, "must be the id of a channel of this project")
	o.member.Post(o.path(f)+"/issue", "channel_id", "1", "do", "burn").Want(422, "do must be one of create, close and reopen")
	made := o.Post(fmt.Sprintf("/v2/projects/%d/integrations", o.Setup.ProjectID), `{"integration":{"type":"Github","options":{"token":"t","repo":"acme/shop"}}}`)
	if made.Status != 201 {
		t.Fatalf("no tracker can be made: %s", made.Body)
	}
	var tracker struct{ ID int64 }
	made.Into(&tracker)
	id := fmt.Sprint(tracker.ID)
	o.member.Get(o.path(f)).Want(200, `<option value="`+id+`">Github`).CheckPage()
	o.member.Post(o.path(f)+"/link", "channel_id", id, "url", "javascript:alert(1)").Want(422, `id="issue-url-problem"`, "must be a URL that starts with http").CheckPage()
	o.member.Post(o.path(f)+"/link", "channel_id", id, "url", "https://github.com/acme/shop").Want(422, "must be that of an issue")
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/link", "channel_id", id, "url", "https://github.com/acme/shop/issues/12").Leads(o.path(f) + "?done=linked")
	o.wantEntry("linkIssue")
	o.member.Get(o.path(f)).Want(200, `<a href="https://github.com/acme/shop/issues/12" rel="noreferrer">#12</a>`, "Close issue").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/unlink", "channel_id", id).Leads(o.path(f) + "?done=unlinked")
	o.wantEntry("unlinkIssue")
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/issue", "channel_id", id, "do", "create").Leads(o.path(f) + "?done=asked_issue")
	o.wantEntry("askForIssue")
}

// The history of an error and the marks of its chart lead to the release that resolved and reopened it.
func TestReleasesThatAnErrorLeadsTo(t *testing.T) {
	t.Parallel()
	o := open(t)
	body := strings.Replace(rich, "4e1f9a2", "shop@2.0/b", 1)
	f := o.report(body)
	o.Clock.Push(time.Hour)
	o.Post("/v1/deploys", map[string]any{"environment": f.Environment, "revision": "shop@2.0/b"}).Want(201)
	o.Post("/v1/deploys", map[string]any{"environment": f.Environment}).Want(201)
	o.Clock.Push(time.Minute)
	o.report(body)
	path := fmt.Sprintf("/projects/%d/releases/shop@2.0%%2Fb", o.Setup.ProjectID)
	link, named := `<a href="`+path+`">`, `<a href="`+path+`" title="shop@2.0/b">`
	o.member.Get(o.path(f)).Want(200,
		"Reopened: it occurred again in "+named+"<code>shop@2.0/b", "Resolved by the deploy of "+named, "to "+f.Environment+".",
		`<a href="`+path+`" tabindex="-1" aria-label=`, `<li>`+link+"Deploy shop@2.0/b",
		fmt.Sprintf(`<li><a href="/projects/%d/deploys/2">Deploy of an unknown revision`, o.Setup.ProjectID),
	).CheckPage()
	o.member.Get(path).Want(200, "Release shop@2.0/b")
}
