package api_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/sett/alerts"
	"sett/internal/setttest"
	"sett/internal/setttest/inbox"
)

// tried tries an integration out and returns the delivery.
func tried(t *testing.T, s *setttest.Server, made api.Integration) (d api.Delivery) {
	t.Helper()
	s.Post(integrationPath(s, made, "/test"), nil).Want(http.StatusAccepted).Into(&d)
	return d
}

// ended returns a delivery once it is in a state.
func ended(s *setttest.Server, path string, state alerts.DeliveryState) (d api.DeliveryDetail) {
	for d.State != state {
		d = api.DeliveryDetail{}
		s.Get(path).Into(&d)
	}
	return d
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := inbox.Open(t)
		b.Down(http.StatusNotFound)
		made := createWebHook(t, s, fmt.Sprintf(`,"active":false,"options":{"url":%q}`, b.URL))
		began := s.Clock.Now()
		d := tried(t, s, made)
		want := api.DeliveryDetail{Delivery: api.Delivery{
			ID: d.ID, Event: alerts.AlertOccurred, Subject: d.Subject, State: alerts.DeliveryDue, CreatedAt: began, DueAt: &began,
		}}
		if diff := cmp.Diff(want.Delivery, d); diff != "" || d.Subject == "" {
			t.Errorf("the test (-want +got):\n%s", diff)
		}
		path := integrationPath(s, made, fmt.Sprint("/deliveries/", d.ID))
		got := ended(s, path, alerts.DeliveryFailed)
		problem, status := "127.0.0.1 returned 404 Not Found", 404
		want.State, want.Tries, want.DueAt, want.DoneAt, want.Problem = alerts.DeliveryFailed, 1, nil, &began, &problem
		want.Attempts = []api.Attempt{{Number: 1, At: began, Status: &status, Problem: &problem}}
		want.Message, want.Payload = got.Message, got.Payload
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after it failed (-want +got):\n%s", diff)
		}
		if got.Message == nil || !strings.HasPrefix(got.Message.Text, "[Shop") || !strings.Contains(string(got.Payload), `"event":"occurred"`) {
			t.Errorf("message %+v, payload %s", got.Message, got.Payload)
		}
		var marked api.Integration
		if s.Get(integrationPath(s, made, "")).Into(&marked); marked.Problem == nil || *marked.Problem != problem || marked.FailedAt == nil {
			t.Errorf("the integration is not marked: %+v", marked)
		}
		s.Put(integrationPath(s, made, ""), `{"integration":{"options":{"label":"Ours"}}}`).Want(http.StatusNoContent)
		if s.Get(integrationPath(s, made, "")).Into(&marked); marked.Problem != nil || marked.FailedAt != nil {
			t.Errorf("the integration is still marked: %+v", marked)
		}

		b.Answer(nil)
		s.Clock.Push(time.Hour)
		now := s.Clock.Now()
		var again api.Delivery
		s.Post(path+"/redeliver", nil).Want(http.StatusAccepted).Into(&again)
		if again.ID != d.ID || again.State != alerts.DeliveryDue || again.DueAt == nil || !again.DueAt.Equal(now) || again.DoneAt != nil || again.Tries != 0 {
			t.Errorf("sent again: %+v", again)
		}
		sent := ended(s, path, alerts.DeliverySent)
		if last := sent.Attempts[len(sent.Attempts)-1]; len(sent.Attempts) != 2 || last.Problem != nil || last.Status == nil || *last.Status != 200 {
			t.Errorf("after it was sent: %+v", sent)
		}
		if string(b.Messages()[0].Body) != string(got.Payload) {
			t.Errorf("sent %s, shown %s", b.Messages()[0].Body, got.Payload)
		}
	}, func(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
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
