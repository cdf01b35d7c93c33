package clients

import (
	"errors"
	"strings"
	"testing"
	"time"

	honeybadgerapi "github.com/honeybadger-io/api-go"
	"github.com/honeybadger-io/honeybadger-go"
)

// empties reports that a till is empty, with the Go client for reports, and returns the fault.
func (a apiGo) empties(times int) honeybadgerapi.Fault {
	a.t.Helper()
	reporter, _ := goClient(a.t, a.Server)
	for range times {
		_, err := reporter.Notify(errors.New("the till is empty"), honeybadger.Context{"user_email": "ada@example.test", "_component": "tills", "_action": "open"})
		a.did(err)
	}
	listed := read[*honeybadgerapi.FaultListResponse](a.t)(a.Client.Faults.List(a.t.Context(), int(a.ProjectID), honeybadgerapi.FaultListOptions{
		Q: "-is:resolved", OccurredAfter: time.Now().Add(-time.Hour), Limit: 5, Order: "frequent", Page: 1,
	}))
	if len(listed.Results) != 1 || listed.Links.Self == "" {
		a.t.Fatalf("the faults are %+v, want one", listed)
	}
	return listed.Results[0]
}

func TestAPIGoFaults(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project := t.Context(), int(a.ProjectID)
	made := a.empties(2)
	if made.Message != "the till is empty" || made.NoticesCount != 2 || made.Component != "tills" || made.Action != "open" || made.ProjectID != project {
		t.Fatalf("the fault is %+v", made)
	}
	read[*honeybadgerapi.UpdateResult](t)(a.Client.Faults.Update(ctx, project, made.ID, honeybadgerapi.FaultUpdateParams{
		ResolveOnDeploy: new(true), AssigneeID: honeybadgerapi.Value(int(a.UserID)),
	}))
	assigned := read[*honeybadgerapi.Fault](t)(a.Client.Faults.Get(ctx, project, made.ID))
	if !assigned.ResolveOnDeploy || assigned.Assignee == nil || assigned.Assignee.ID != int(a.UserID) {
		t.Fatalf("the changed fault is %+v", assigned)
	}
	read[*honeybadgerapi.UpdateResult](t)(a.Projects.Update(ctx, project, honeybadgerapi.ProjectRequest{ResolveErrorsOnDeploy: new(false)}))
	a.deploy("production") // resolves the faults that wait for it, and no others
	read[*honeybadgerapi.UpdateResult](t)(a.Client.Faults.Update(ctx, project, made.ID, honeybadgerapi.FaultUpdateParams{AssigneeID: honeybadgerapi.Null[int]()}))
	deployed := read[*honeybadgerapi.Fault](t)(a.Client.Faults.Get(ctx, project, made.ID))
	if !deployed.Resolved || deployed.Assignee != nil {
		t.Errorf("after a deploy the fault is %+v, want it resolved, and without an assignee", deployed)
	}
	same(t, "counts", honeybadgerapi.FaultCounts{
		Total: 1, Environments: []honeybadgerapi.FaultCountsEnvironment{{Environment: "production", Resolved: true, Count: 1}},
	}, *read[*honeybadgerapi.FaultCounts](t)(a.Client.Faults.GetCounts(ctx, project, honeybadgerapi.FaultListOptions{Q: "is:resolved"})))

	notices := read[*honeybadgerapi.FaultNoticesResponse](t)(a.Client.Faults.ListNotices(ctx, project, made.ID, honeybadgerapi.FaultListNoticesOptions{Limit: 1}))
	if len(notices.Results) != 1 || notices.Links.Next == "" {
		t.Fatalf("a page of one notice is %+v", notices)
	}
	n := notices.Results[0]
	if n.Message != "the till is empty" || n.FaultID != made.ID || n.Environment.Hostname != "web-1" ||
		n.Request.Context["user_email"] != "ada@example.test" || len(n.Backtrace) == 0 || !strings.HasSuffix(n.Backtrace[0].File, ".go") {
		t.Errorf("the notice is %+v", n)
	}
	for q, want := range map[string][]honeybadgerapi.FaultAffectedUser{"": {{User: "ada@example.test", Count: 2}}, "grace": {}} {
		same(t, "affected users "+q, want, read[[]honeybadgerapi.FaultAffectedUser](t)(
			a.Client.Faults.ListAffectedUsers(ctx, project, made.ID, honeybadgerapi.FaultListAffectedUsersOptions{Q: q})))
	}
}

func TestAPIGoComments(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project, fault := t.Context(), int(a.ProjectID), a.empties(1).ID
	made := read[*honeybadgerapi.Comment](t)(a.Comments.Create(ctx, project, fault, "I am on it"))
	if made.Body != "I am on it" || made.FaultID != fault || made.Author == "" {
		t.Fatalf("the comment is %+v", made)
	}
	a.did(a.Comments.Update(ctx, project, fault, made.ID, "Done"))
	changed := read[*honeybadgerapi.Comment](t)(a.Comments.Get(ctx, project, fault, made.ID))
	same(t, "body", "Done", changed.Body)
	same(t, "list", []honeybadgerapi.Comment{*changed}, read[[]honeybadgerapi.Comment](t)(a.Comments.List(ctx, project, fault)))
	read[*honeybadgerapi.UpdateResult](t)(a.Client.Faults.Update(ctx, project, fault, honeybadgerapi.FaultUpdateParams{Resolved: new(true)}))
	listed := read[[]honeybadgerapi.Comment](t)(a.Comments.List(ctx, project, fault))
	if len(listed) != 2 || listed[0].Event+listed[1].Event != "resolved" {
		t.Errorf("the comments are %+v, want ours and that of the resolution", listed)
	}
	a.did(a.Comments.Delete(ctx, project, fault, made.ID))
	_, err := a.Comments.Get(ctx, project, fault, made.ID)
	a.gone(err)
}

func TestAPIGoReports(t *testing.T) {
	t.Parallel()
	a := newAPIGo(t)
	ctx, project := t.Context(), int(a.ProjectID)
	fault := a.empties(3)
	for kind, label := range map[honeybadgerapi.ProjectReportType]string{
		honeybadgerapi.ProjectNoticesByClass:    fault.Klass,
		honeybadgerapi.ProjectNoticesByLocation: "tills#open",
		honeybadgerapi.ProjectNoticesByUser:     "ada@example.test",
	} {
		rows := read[[][]any](t)(a.Projects.GetReport(ctx, project, kind, honeybadgerapi.ProjectGetReportOptions{Environment: "production"}))
		same(t, string(kind), [][]any{{label, 3.0}}, rows)
	}
	begin, end := time.Now().Add(-48*time.Hour), time.Now()
	total := 0.0
	for _, row := range read[[][]any](t)(a.Projects.GetReport(ctx, project, honeybadgerapi.ProjectNoticesPerDay, honeybadgerapi.ProjectGetReportOptions{Start: &begin, Stop: &end})) {
		total += row[1].(float64)
	}
	same(t, "notices_per_day", 3, total)

	var occurrences int64
	for _, pair := range read[honeybadgerapi.ProjectGetOccurrenceCountsResponse](t)(
		a.Projects.GetOccurrenceCounts(ctx, project, honeybadgerapi.ProjectGetOccurrenceCountsOptions{Period: "hour", Environment: "production"})) {
		occurrences += pair[1]
	}
	same(t, "occurrences", 3, occurrences)
	// The one thing of this interface that it cannot read: docs/compatibility.md says why.
	if _, err := a.Projects.GetAllOccurrenceCounts(ctx, honeybadgerapi.ProjectGetOccurrenceCountsOptions{}); err == nil {
		t.Error("the client reads the occurrences of all projects now: docs/compatibility.md says that it cannot")
	}
}
