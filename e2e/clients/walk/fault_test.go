//go:build walk

package walk

import (
	"net/http"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"

	"sett/e2e/clients/walk/client"
)

// report reports an error to a project and returns the id of its notice.
func (w walker) report(p *client.Project, class string) string {
	w.t.Helper()
	return must(w.ReportNoticeWithResponse(w.ctx, client.NoticeBody{
		Notifier: &map[string]any{"name": "walk", "version": "1"},
		Error: client.FailureBody{
			Class: &class, Message: new("the till is empty"), Tags: &[]string{"till"},
			Backtrace: &[]client.FrameBody{{File: new("[PROJECT_ROOT]/till.go"), Method: new("Open"), Number: new(int64(7)), Context: new(client.FrameBodyContext("app"))}},
		},
		Request: &client.RequestBody{Component: new("tills"), Action: new("open"), Context: &map[string]any{"user_email": "ada@example.test"}},
		Server:  &client.ServerBody{EnvironmentName: new("production"), Hostname: new("web-1"), Revision: new("abc123")},
	}, withKey(p.Token))).JSON201.Id
}

// fault reads the only fault of a project.
func (w walker) fault(p *client.Project) client.Fault {
	w.t.Helper()
	listed := must(w.ListFaultsWithResponse(w.ctx, p.Id, nil)).JSON200.Results
	if len(listed) != 1 {
		w.t.Fatalf("the faults are %+v, want one", listed)
	}
	return listed[0]
}

func TestFaults(t *testing.T) {
	w := newWalker(t)
	p := w.project("Tills")
	w.report(p, "EmptyTill")
	made := w.fault(p)
	if made.Klass != "EmptyTill" || made.Message != "the till is empty" || made.NoticesCount != 1 || made.Resolved ||
		made.Component.MustGet() != "tills" || made.Action.MustGet() != "open" || made.Environment != "production" {
		t.Fatalf("the fault is %+v", made)
	}
	owner := p.Owner.MustGet()
	must(w.UpdateFaultWithResponse(w.ctx, p.Id, made.Id, client.FaultBody{Fault: client.FaultChange{
		AssigneeId: nullable.NewNullableWithValue(owner.Id), Resolved: nullable.NewNullableWithValue(true),
	}}))
	changed := must(w.GetFaultWithResponse(w.ctx, p.Id, made.Id)).JSON200
	if !changed.Resolved || changed.Assignee.MustGet() != owner {
		t.Errorf("the changed fault is %+v, want it resolved and assigned to %+v", changed, owner)
	}
	summary := must(w.SummarizeFaultsWithResponse(w.ctx, p.Id, &client.SummarizeFaultsParams{Q: new("is:resolved")})).JSON200
	same(t, "summary", client.FaultSummary{Total: 1, Environments: []client.FaultSummaryRow{{Environment: "production", Resolved: true, Count: 1}}}, *summary)
	suggested := *must(w.SuggestFaultSearchWithResponse(w.ctx, p.Id, &client.SuggestFaultSearchParams{Q: new("environment:prod")})).JSON200
	same(t, "suggestions", []string{"environment:production"}, []string{suggested[0].Text})

	w.report(p, "EmptyTill")
	must(w.UpdateFaultWithResponse(w.ctx, p.Id, made.Id, client.FaultBody{Fault: client.FaultChange{AssigneeId: nullable.NewNullNullable[int64]()}}))
	again := must(w.GetFaultWithResponse(w.ctx, p.Id, made.Id)).JSON200
	if again.Resolved || again.NoticesCount != 2 || !again.Assignee.IsNull() {
		t.Errorf("after a recurrence the fault is %+v, want it open, with two notices, without an assignee", again)
	}
	must(w.PauseFaultWithResponse(w.ctx, p.Id, made.Id, client.Pause{Time: nullable.NewNullableWithValue(client.PauseTimeHour)}))
	must(w.UnpauseFaultWithResponse(w.ctx, p.Id, made.Id))
	must(w.PauseFaultWithResponse(w.ctx, p.Id, made.Id, client.Pause{Count: nullable.NewNullableWithValue(client.PauseCount(10))}))
	must(w.UnpauseFaultsWithResponse(w.ctx, p.Id))
	must(w.ResolveFaultsWithResponse(w.ctx, p.Id, &client.ResolveFaultsParams{Q: new("class:EmptyTill")}))
	same(t, "resolved with all", true, w.fault(p).Resolved)
	must(w.DeleteFaultWithResponse(w.ctx, p.Id, made.Id))
	_, err := w.GetFaultWithResponse(w.ctx, p.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestNotices(t *testing.T) {
	w := newWalker(t)
	p := w.project("Notices")
	must(w.ReportDeployWithResponse(w.ctx, nil, client.DeployBody{Deploy: &client.DeployPart{
		Environment: new("production"), Revision: new("abc123"),
	}}, withKey(p.Token)))
	id := w.report(p, "EmptyTill")
	f := w.fault(p)
	listed := must(w.ListNoticesWithResponse(w.ctx, p.Id, f.Id, nil)).JSON200.Results
	if len(listed) != 1 || listed[0].Id != id {
		t.Fatalf("the notices are %+v, want %s", listed, id)
	}
	n := listed[0]
	same(t, "one of them", n, *must(w.GetNoticeWithResponse(w.ctx, p.Id, f.Id, id, nil)).JSON200)
	same(t, "attachments", 0, len(must(w.ListAttachmentsWithResponse(w.ctx, p.Id, f.Id, id)).JSON200.Attachments))
	_, err := w.GetAttachmentWithResponse(w.ctx, p.Id, f.Id, id, 1)
	w.refused(http.StatusNotFound, err)
	same(t, "discarded", 0, len(must(w.ListDiscardedWithResponse(w.ctx, p.Id)).JSON200.Discarded))
	same(t, "message", "the till is empty", n.Message)
	same(t, "tags", []string{"till"}, n.Tags)
	same(t, "host", "web-1", n.Environment.Hostname)
	same(t, "revision of the deploy", "abc123", n.Deploy.MustGet().Revision)
	same(t, "context", map[string]any{"user_email": "ada@example.test"}, n.Request.Context)
	if len(n.Backtrace) != 1 || n.Backtrace[0].File != "[PROJECT_ROOT]/till.go" || n.Backtrace[0].Method != "Open" {
		t.Errorf("the backtrace is %+v", n.Backtrace)
	}
	same(t, "affected users", []client.AffectedUser{{User: "ada@example.test", Count: 1}}, *must(w.ListAffectedUsersWithResponse(w.ctx, p.Id, f.Id, nil)).JSON200)
}

func TestComments(t *testing.T) {
	w := newWalker(t)
	p := w.project("Talk")
	w.report(p, "EmptyTill")
	f := w.fault(p)
	var body client.CreateCommentBody
	body.Comment.Body = "I am on it"
	made := must(w.CreateCommentWithResponse(w.ctx, p.Id, f.Id, body)).JSON201
	if made.Body != "I am on it" || made.FaultId != f.Id || made.Author == "" || !made.Event.IsNull() {
		t.Fatalf("the comment is %+v", made)
	}
	must(w.UpdateCommentWithResponse(w.ctx, p.Id, f.Id, made.Id, client.CommentBody{Comment: client.CommentChange{Body: new("Done")}}))
	same(t, "body", "Done", must(w.GetCommentWithResponse(w.ctx, p.Id, f.Id, made.Id)).JSON200.Body)
	must(w.UpdateFaultWithResponse(w.ctx, p.Id, f.Id, client.FaultBody{Fault: client.FaultChange{Resolved: nullable.NewNullableWithValue(true)}}))
	listed := must(w.ListCommentsWithResponse(w.ctx, p.Id, f.Id, nil)).JSON200.Results
	if len(listed) != 2 {
		t.Fatalf("the comments are %+v, want ours and the fault's own of its resolution", listed)
	}
	same(t, "comments that people wrote", 1, must(w.GetFaultWithResponse(w.ctx, p.Id, f.Id)).JSON200.CommentsCount)

	must(w.DeleteCommentWithResponse(w.ctx, p.Id, f.Id, made.Id))
	_, err := w.GetCommentWithResponse(w.ctx, p.Id, f.Id, made.Id)
	w.refused(http.StatusNotFound, err)
}

func TestOccurrencesAndReports(t *testing.T) {
	w := newWalker(t)
	p := w.project("Numbers")
	for _, class := range []string{"EmptyTill", "EmptyTill", "FullTill"} {
		w.report(p, class)
	}
	occurrences := must(w.ListProjectOccurrencesWithResponse(w.ctx, p.Id, &client.ListProjectOccurrencesParams{Environment: new("production")})).JSON200
	same(t, "occurrences of the project", 3, counted(*occurrences))
	if all := counted(*must(w.ListAllOccurrencesWithResponse(w.ctx, nil)).JSON200); all < 3 {
		t.Errorf("all projects have %d occurrences, want 3 and more", all)
	}
	for _, f := range must(w.ListFaultsWithResponse(w.ctx, p.Id, nil)).JSON200.Results {
		of := must(w.ListFaultOccurrencesWithResponse(w.ctx, p.Id, f.Id, &client.ListFaultOccurrencesParams{Period: new(client.ListFaultOccurrencesParamsPeriod("day"))})).JSON200
		same(t, "occurrences of "+f.Klass, f.NoticesCount, counted(*of))
	}

	same(t, "by class", [][]any{{"EmptyTill", 2.0}, {"FullTill", 1.0}},
		*must(w.ReportNoticesByClassWithResponse(w.ctx, p.Id, &client.ReportNoticesByClassParams{Start: seconds(p.CreatedAt.Add(-time.Hour))})).JSON200)
	same(t, "by location", [][]any{{"tills#open", 3.0}},
		*must(w.ReportNoticesByLocationWithResponse(w.ctx, p.Id, &client.ReportNoticesByLocationParams{Environment: new("production")})).JSON200)
	same(t, "by user", [][]any{{"ada@example.test", 3.0}}, *must(w.ReportNoticesByUserWithResponse(w.ctx, p.Id, nil)).JSON200)
	days := *must(w.ReportNoticesPerDayWithResponse(w.ctx, p.Id, &client.ReportNoticesPerDayParams{Start: new(p.CreatedAt.Format(time.DateOnly))})).JSON200
	total := 0.0
	for _, day := range days {
		total += day[1].(float64)
	}
	same(t, "per day", 3, total)
	none := must(w.ReportNoticesByClassWithResponse(w.ctx, p.Id, &client.ReportNoticesByClassParams{Environment: new("staging")})).JSON200
	same(t, "by class elsewhere", [][]any{}, *none)
}

// counted sums pairs of a time and a count.
func counted(pairs [][]int64) (total int64) {
	for _, pair := range pairs {
		total += pair[1]
	}
	return total
}
