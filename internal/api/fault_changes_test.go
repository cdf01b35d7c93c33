package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/setttest"
)

func TestUpdateFault(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault := notify(t, s, "A", "production")
		path := faultsPath(s, fmt.Sprintf("/%d", fault.ID))
		now := func() (f api.Fault) {
			s.Get(path).Into(&f)
			return f
		}
		put := func(body string) {
			t.Helper()
			if answer := s.Put(path, body).Want(http.StatusNoContent); len(answer.Body) > 0 {
				t.Errorf("%s is answered with %q", body, answer.Body)
			}
		}
		put(`{"fault":{"resolved":true}}`)
		put(`{"fault":{"ignored":true,"unknown":1}}`)
		if f := now(); !f.Resolved || !f.Ignored {
			t.Errorf("resolved, then ignored: %+v", f)
		}
		put(`{"fault":{"resolved":false,"ignored":false,"resolve_on_deploy":true}}`)
		put(`{"fault":{}}`)
		if f := now(); f.Resolved || f.Ignored || !f.ResolveOnDeploy {
			t.Errorf("open, and to be resolved by a deploy: %+v", f)
		}
		put(fmt.Sprintf(`{"fault":{"assignee_id":%d}}`, s.Setup.UserID))
		if f := now(); f.Assignee == nil || !f.ResolveOnDeploy {
			t.Errorf("assigned: %+v", f)
		}
		put(`{"fault":{"resolved":true,"ignored":true}}`)
		put(`{"fault":{"resolved":null,"ignored":null}}`)
		if f := now(); f.Resolved || f.Ignored || f.Assignee == nil {
			t.Errorf("null resets what it is sent for: %+v", f)
		}
		put(`{"fault":{"resolve_on_deploy":true}}`)
		put(`{"fault":{"resolve_on_deploy":null}}`)
		if f := now(); f.ResolveOnDeploy {
			t.Errorf("no deploy is to resolve it any more: %+v", f)
		}
		put(`{"fault":{"resolve_on_deploy":true}}`)
		put(`{"fault":{"assignee_id":null}}`)
		fault.ResolveOnDeploy = true
		if diff := cmp.Diff(fault, now()); diff != "" {
			t.Error(diff)
		}
		stranger := s.AddStranger(t, "stranger@example.test")
		const wrap = `fault must be an object that contains the fields, as in {"fault": {"resolved": true}}`
		for body, want := range map[string]string{
			`{"fault":{"resolved":"yes","ignored":0,"resolve_on_deploy":1,"assignee_id":"me"}}`: "resolved must be true or false; ignored must be true or false; resolve_on_deploy must be true or false; assignee_id must be an integer",
			`{"resolved":true}`: wrap,
			`{"fault":null}`:    wrap,
			`{"fault":[]}`:      "fault must be an object",
		} {
			if text := s.Put(path, body).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+want+"." {
				t.Errorf("%s:\n got %s\nwant %s", body, text, want)
			}
		}
		if text := s.Put(path, `{"fault":{"assignee_id":2}}`).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, "assignee_id must be the id of a user who can see this project") {
			t.Errorf("a stranger was assigned: %s", text)
		}
		team := createTeam(s.Client, "Platform")
		s.Put(fmt.Sprint("/v2/projects/", s.Setup.ProjectID), map[string]any{"project": map[string]any{"team_ids": []int64{team.ID}}}).Want(http.StatusNoContent)
		if text := s.Put(path, fmt.Sprintf(`{"fault":{"assignee_id":%d}}`, -team.ID)).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, "assignee_id must be the id of a user") {
			t.Errorf("a team was assigned: %s", text)
		}
		s.Put(path, `{"fault":`).Want(http.StatusBadRequest)
		stranger.Put(path, `{"fault":{"resolved":true}}`).Want(http.StatusNotFound)
		s.Put(faultsPath(s, "/999999"), `{"fault":{"resolved":true}}`).Want(http.StatusNotFound)
		if diff := cmp.Diff(fault, now()); diff != "" {
			t.Errorf("a refused change left its mark:\n%s", diff)
		}
	})
}

func TestDeleteFault(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		first := notify(t, s, "A", "production")
		path := faultsPath(s, fmt.Sprintf("/%d", first.ID))
		s.Delete(path).Want(http.StatusNoContent)
		s.Delete(path).Want(http.StatusNotFound)
		s.Do("GET", path+"/notices", nil).Want(http.StatusNotFound)
		if again := notify(t, s, "A", "production"); again.ID == first.ID || again.NoticesCount != 1 {
			t.Errorf("the error came again as %+v", again)
		}
	})
}

func TestPauseFault(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		a, b := notify(t, s, "A", "production"), notify(t, s, "B", "production")
		at := func(id int64, rest string) string { return faultsPath(s, fmt.Sprintf("/%d/%s", id, rest)) }
		paused := func(want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, klasses(listFaults(s, "?q=is:paused"))); diff != "" {
				t.Error(diff)
			}
		}
		empty := func(r *setttest.Response) {
			t.Helper()
			if r.Want(http.StatusOK); len(r.Body) > 0 {
				t.Errorf("answered with %q", r.Body)
			}
		}
		empty(s.Post(at(a.ID, "pause"), `{"time":"hour"}`))
		paused("A")
		s.Clock.Push(time.Hour)
		paused()
		empty(s.Post(at(a.ID, "pause"), `{"time":"day"}`))
		empty(s.Post(at(a.ID, "pause"), `{"count":10,"time":null}`))
		empty(s.Post(at(b.ID, "pause"), `{"time":"week"}`))
		paused("B", "A")
		empty(s.Post(at(b.ID, "unpause"), nil))
		paused("A")
		for range 10 {
			notify(t, s, "A", "production")
		}
		paused()
		empty(s.Post(at(a.ID, "pause"), `{"count":1000}`))
		empty(s.Post(at(b.ID, "pause"), `{"time":"hour"}`))
		empty(s.Post(faultsPath(s, "/unpause"), nil))
		paused()
		empty(s.Post(at(a.ID, "pause"), `{"users":100}`))
		empty(s.Post(at(b.ID, "pause"), `{"notices":10000,"per":"day"}`))
		paused("B", "A")
		empty(s.Post(faultsPath(s, "/unpause"), nil))
		paused()
		for _, body := range []string{
			`{"users":0}`, `{"users":"one"}`, `{"users":1001}`, `{"notices":1}`, `{"notices":1,"per":"week"}`, `{"notices":10001,"per":"day"}`, `{"users":1,"notices":1,"per":"day"}`, `{"users":1,"time":"day"}`, `{"per":"day"}`,
		} {
			s.Post(at(a.ID, "pause"), body).Want(http.StatusUnprocessableEntity)
		}
		for _, body := range []string{`{}`, `{"time":"month"}`, `{"time":3600}`, `{"count":5}`, `{"count":"ten"}`, `{"count":10,"time":"day"}`, `{"pause":{"time":"day"}}`} {
			s.Post(at(a.ID, "pause"), body).Want(http.StatusUnprocessableEntity)
		}
		s.Post(at(a.ID, "pause"), ``).Want(http.StatusBadRequest)
		s.Post(at(999999, "pause"), `{"time":"day"}`).Want(http.StatusNotFound)
		s.Post(at(999999, "unpause"), nil).Want(http.StatusNotFound)
		paused()
	})
}

func TestResolveFaults(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for _, class := range []string{"A", "B", "C"} {
			notify(t, s, class, "production")
		}
		if answer := s.Post(faultsPath(s, "/resolve?q=class:A"), nil).Want(http.StatusOK); len(answer.Body) > 0 {
			t.Errorf("answered with %q", answer.Body)
		}
		if diff := cmp.Diff([]string{"A"}, klasses(listFaults(s, "?q=is:resolved"))); diff != "" {
			t.Error(diff)
		}
		s.Post(faultsPath(s, "/resolve"), map[string]any{}).Want(http.StatusOK)
		if diff := cmp.Diff([]string{"C", "B", "A"}, klasses(listFaults(s, "?q=is:resolved"))); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLinkFaultRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	fault := notify(t, s, "A", "production")
	const noChannel = "channel_id must be the id of an integration of this project"
	for body, want := range map[string]string{
		`{}`:                               "channel_id must be an integer; data must be an object",
		`{"channel_id":"one","data":[]}`:   "channel_id must be an integer; data must be an object",
		`{"channel_id":null,"data":null}`:  "channel_id must be an integer; data must be an object",
		`{"channel_id":1,"data":{"id":1}}`: noChannel,
		`{"channel_id":-1,"data":{}}`:      noChannel,
	} {
		if text := s.Post(faultsPath(s, fmt.Sprintf("/%d/link", fault.ID)), body).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, want) {
			t.Errorf("link %s:\n got %s\nwant %s", body, text, want)
		}
	}
	for body, want := range map[string]string{`{}`: "channel_id must be an integer", `{"channel_id":7}`: noChannel} {
		if text := s.Post(faultsPath(s, fmt.Sprintf("/%d/unlink", fault.ID)), body).Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, want) {
			t.Errorf("unlink %s:\n got %s\nwant %s", body, text, want)
		}
	}
	s.Post(faultsPath(s, "/999999/link"), `{"channel_id":1,"data":{}}`).Want(http.StatusNotFound)
}

func TestBulkResolveTakesNoSearchInItsBody(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		s.Post("/v1/notices", map[string]any{"error": map[string]any{"class": "Boom"}}).Want(http.StatusCreated)
		const resolve, open = "/v2/projects/1/faults/resolve", "/v2/projects/1/faults?q=-is:resolved"
		s.Post(resolve, map[string]any{"q": "class:Other"}).Want(http.StatusUnprocessableEntity)
		if n := len(s.Get(open).JSON()["results"].([]any)); n != 1 {
			t.Fatalf("%d open faults, want 1: a search in the body resolved them all", n)
		}
		s.Post(resolve, map[string]any{}).Want(http.StatusOK)
		if n := len(s.Get(open).JSON()["results"].([]any)); n != 0 {
			t.Errorf("%d open faults, want none", n)
		}
	})
}

func TestResolveFaultInARelease(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	deployOf(s, "production", "1.2+3", "josh")
	fault, other := notify(t, s, "A", "production"), notify(t, s, "B", "production")
	path := faultsPath(s, fmt.Sprintf("/%d", fault.ID))
	want := func(when, text string) {
		t.Helper()
		var f api.Fault
		s.Get(path).Into(&f)
		in := "none"
		if f.ResolvedIn != nil {
			in = *f.ResolvedIn
		}
		if got := fmt.Sprint(f.Resolved, " ", in); got != text {
			t.Errorf("%s: %s, want %s", when, got, text)
		}
	}
	for _, c := range []struct{ body, want string }{
		{`{"resolved_in":"1.2+3"}`, "true 1.2+3"},
		{`{"resolved":true}`, "true 1.2+3"},
		{`{"resolved_in":null}`, "true none"},
		{`{"resolved":true,"resolved_in":"1.2+3"}`, "true 1.2+3"},
		{`{"resolved":false,"resolved_in":null}`, "false none"},
		{`{"resolved_in":null}`, "false none"},
	} {
		s.Put(path, `{"fault":`+c.body+`}`).Want(http.StatusNoContent)
		want(c.body, c.want)
	}
	for body, text := range map[string]string{
		`{"resolved_in":"1.2"}`:                    `resolved_in must be the version of a release of this project; check the spelling of "1.2", or record a deploy of it first`,
		`{"resolved":false,"resolved_in":"1.2+3"}`: "resolved_in cannot be sent with resolved false; send resolved true, or leave it out",
		`{"resolved_in":""}`:                       "resolved_in must be the version of a release, or null",
		`{"resolved_in":[]}`:                       "resolved_in must be a string",
	} {
		if got := s.Put(path, `{"fault":`+body+`}`).Want(http.StatusUnprocessableEntity).Errors(); got != "Please correct: "+text+"." {
			t.Errorf("%s:\n got %s\nwant Please correct: %s.", body, got, text)
		}
	}
	want("refused", "false none")
	bulk := func(body string) *setttest.Response { return s.Post(faultsPath(s, "/bulk"), body) }
	ids := fmt.Sprintf(`"fault_ids":[%d,%d]`, fault.ID, other.ID)
	for _, body := range []string{`{"action":"ignore","resolved_in":"1.2+3",` + ids + `}`, `{"action":"resolve","resolved_in":"1.2",` + ids + `}`} {
		bulk(body).Want(http.StatusUnprocessableEntity)
	}
	s.Put(faultsPath(s, fmt.Sprintf("/%d", other.ID)), `{"fault":{"resolved":true}}`).Want(http.StatusNoContent)
	var done api.BulkResult
	bulk(`{"action":"resolve","resolved_in":"1.2+3",` + ids + `}`).Into(&done)
	if want("together", "true 1.2+3"); done.Count != 1 {
		t.Errorf("%d were resolved, of two one of which was", done.Count)
	}
	var history struct {
		Results []struct{ Body string }
	}
	s.Get(path + "/comments").Into(&history)
	var lines []string
	for _, c := range history.Results {
		lines = append(lines, c.Body)
	}
	if diff := cmp.Diff([]string{"Resolved in 1.2+3.", "Resolved.", "Resolved in 1.2+3.", "Marked as unresolved.", "Resolved in 1.2+3."}, lines); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
