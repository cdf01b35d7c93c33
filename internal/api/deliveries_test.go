package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/store"
)

// tried tries an integration out and returns the delivery.
func tried(t *testing.T, s *setttest.Server, made api.Integration) (d api.Delivery) {
	t.Helper()
	s.Post(integrationPath(s, made, "/test"), nil).Want(http.StatusAccepted).Into(&d)
	return d
}

// told ends a delivery as the notifier does.
func told(t *testing.T, s *setttest.Server, result store.DeliveryResult) {
	t.Helper()
	now := s.Clock.Now()
	claimed, err := s.App.Store().ClaimDeliveries(t.Context(), now, time.Minute, 10, nil)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %+v, %v", claimed, err)
	}
	result.ID, result.Tries = claimed[0].ID, claimed[0].Tries
	result.Attempt.Number, result.Attempt.At = int64(claimed[0].Tries), now
	if err := s.App.Store().RecordDeliveries(t.Context(), now, []store.DeliveryResult{result}); err != nil {
		t.Fatal(err)
	}
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		made := createWebHook(t, s, `,"active":false`)
		began := s.Clock.Now()
		d := tried(t, s, made)
		want := api.DeliveryDetail{Delivery: api.Delivery{
			ID: d.ID, Event: sett.AlertOccurred, Subject: d.Subject, State: sett.DeliveryDue, CreatedAt: began, DueAt: &began,
		}, Attempts: []api.Attempt{}, Payload: json.RawMessage("null")}
		if diff := cmp.Diff(want.Delivery, d); diff != "" || d.Subject == "" {
			t.Errorf("the test (-want +got):\n%s", diff)
		}
		path := integrationPath(s, made, fmt.Sprint("/deliveries/", d.ID))
		read := func() (v api.DeliveryDetail) {
			s.Get(path).Into(&v)
			return v
		}
		if diff := cmp.Diff(want, read()); diff != "" {
			t.Errorf("before the first try (-want +got):\n%s", diff)
		}

		told(t, s, store.DeliveryResult{
			State: sett.DeliveryFailed, Attempt: sett.Attempt{Duration: 1500 * time.Millisecond, Status: 404, Problem: "not there"},
			Message: []byte(`{"text":"[Shop] A","title":"A","url":"https://sett.test/1","body":{"event":"occurred"},"mood":"trouble"}`),
		})
		problem, status := "not there", 404
		want.State, want.Tries, want.DueAt, want.DoneAt, want.Problem = sett.DeliveryFailed, 1, nil, &began, &problem
		want.Attempts = []api.Attempt{{Number: 1, At: began, Duration: 1500, Status: &status, Problem: &problem}}
		want.Message = &api.DeliveryMessage{Text: "[Shop] A", Title: "A", URL: "https://sett.test/1"}
		want.Payload = json.RawMessage(`{"event":"occurred"}`)
		if diff := cmp.Diff(want, read()); diff != "" {
			t.Errorf("after it failed (-want +got):\n%s", diff)
		}
		var marked api.Integration
		if s.Get(integrationPath(s, made, "")).Into(&marked); marked.Problem == nil || *marked.Problem != "not there" || marked.FailedAt == nil {
			t.Errorf("the integration is not marked: %+v", marked)
		}
		s.Put(integrationPath(s, made, ""), `{"integration":{"options":{"url":"https://other.example.test"}}}`).Want(http.StatusNoContent)
		if s.Get(integrationPath(s, made, "")).Into(&marked); marked.Problem != nil || marked.FailedAt != nil {
			t.Errorf("the integration is still marked: %+v", marked)
		}

		s.Clock.Push(time.Hour)
		now := s.Clock.Now()
		var again api.Delivery
		s.Post(path+"/redeliver", nil).Want(http.StatusAccepted).Into(&again)
		if again.ID != d.ID || again.State != sett.DeliveryDue || again.DueAt == nil || !again.DueAt.Equal(now) || again.DoneAt != nil || again.Tries != 0 {
			t.Errorf("sent again: %+v", again)
		}
		told(t, s, store.DeliveryResult{State: sett.DeliverySent, Attempt: sett.Attempt{}})
		if got := read(); got.State != sett.DeliverySent || got.Attempts[len(got.Attempts)-1].Status != nil || got.Attempts[len(got.Attempts)-1].Problem != nil {
			t.Errorf("after it was sent: %+v", got)
		}
	})
}

func TestDeliveriesAreListed(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		made, other := createWebHook(t, s, ""), createWebHook(t, s, "")
		var want []int64
		for range 3 {
			s.Clock.Push(time.Minute)
			want = append([]int64{tried(t, s, made).ID}, want...)
		}
		foreign := tried(t, s, other)
		var got []int64
		for path := integrationPath(s, made, "/deliveries?limit=2"); path != ""; {
			var list serve.List[api.Delivery]
			s.Get(path).Into(&list)
			for _, d := range list.Results {
				got = append(got, d.ID)
			}
			_, path, _ = strings.Cut(list.Links.Next, s.Base)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
		for path, text := range map[string]string{
			integrationsPath(s, "/"+missing+"/deliveries?limit=x"):                       "Integration not found",
			integrationPath(s, made, fmt.Sprint("/deliveries/", foreign.ID)):             "Delivery not found",
			projectPath(s.Setup.ProjectID, fmt.Sprint("/integrations/0/deliveries/", 1)): "Delivery not found",
		} {
			if said := s.Do("GET", path, nil).Want(http.StatusNotFound).Errors(); said != text {
				t.Errorf("GET %s: %s", path, said)
			}
		}
		s.Do("GET", integrationPath(s, made, "/deliveries?limit=x"), nil).Want(http.StatusUnprocessableEntity)
		s.Do("POST", integrationPath(s, made, fmt.Sprint("/deliveries/", foreign.ID, "/redeliver")), nil).Want(http.StatusNotFound)
		s.Do("POST", integrationsPath(s, "/"+missing+"/test"), nil).Want(http.StatusNotFound)
	})
}

// What a webhook cannot do for a fault is refused; an issue tracker's own test is TestAskIssue of package store.
func TestIssuesOfFaults(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		fault, hook := notify(t, s, "A", "production").ID, createWebHook(t, s, "")
		for _, end := range []string{"", "/close", "/reopen"} {
			path := faultsPath(s, fmt.Sprint("/", fault, "/issue", end))
			for body, want := range map[string]string{
				fmt.Sprintf(`{"channel_id":%d}`, hook.ID): "channel_id must be the id of an integration that is an issue tracker",
				`{"channel_id":` + missing + `}`:          "channel_id must be the id of an integration of this project",
				`{"channel_id":"x"}`:                      "channel_id must be an integer",
				`{}`:                                      "channel_id must be an integer",
			} {
				if got := s.Post(path, body).Want(http.StatusUnprocessableEntity).Errors(); got != "Please correct: "+want+"." {
					t.Errorf("%s %s: %s", path, body, got)
				}
			}
			s.Post(faultsPath(s, "/"+missing+"/issue"+end), `{`).Want(http.StatusNotFound)
		}
	})
}
