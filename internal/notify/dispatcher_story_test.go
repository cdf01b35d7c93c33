package notify_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/setttest"
	"sett/internal/setttest/inbox"
	"sett/internal/store"
	"sett/internal/store/db"
)

// nearby lets webhooks reach the receivers of tests.
func nearby(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// hook makes a webhook of the server's project to a receiver and returns its id.
func hook(s *setttest.Server, to *inbox.Inbox, change map[string]any) int64 {
	settings := map[string]any{
		"type": "WebHook", "events": []string{"occurred", "resolved", "unresolved", "commented"}, "notification_limit": 10_000,
		"options": map[string]any{"url": to.URL},
	}
	for name, value := range change {
		settings[name] = value
	}
	made := s.Post(projectPath(s, "/integrations"), map[string]any{"integration": settings}).Want(http.StatusCreated).JSON()
	return int64(made["id"].(float64))
}

func projectPath(s *setttest.Server, rest string) string {
	return "/v2/projects/" + strconv.FormatInt(s.Setup.ProjectID, 10) + rest
}

// breaks reports a notice of a class.
func breaks(s *setttest.Server, class string) {
	s.Post("/v1/notices", map[string]any{
		"error": map[string]any{"class": class, "message": "it broke"}, "server": map[string]any{"environment_name": "production"},
	}).Want(http.StatusCreated)
}

// A webhook gets the events of a fault in order, each once, with the texts and headers of wire.md.
func TestWebhookGetsEachEventOnce(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := inbox.Open(t)
		hook(s, b, nil)
		breaks(s, "Boom")
		first := b.Await(t, 1)[0]
		fault := projectPath(s, fmt.Sprint("/faults/", first.FaultID))
		s.Put(fault, `{"fault":{"resolved":true}}`).Want(http.StatusNoContent)
		s.Put(fault, `{"fault":{"resolved":false}}`).Want(http.StatusNoContent)
		s.Post(fault+"/comments", `{"comment":{"body":"On it."}}`).Want(http.StatusCreated)
		var texts []string
		for _, m := range b.Await(t, 4) {
			texts = append(texts, m.Text)
		}
		want := []string{
			"[Shop/production] Boom: it broke", "[Shop/production] Boom resolved by Olga Owner",
			"[Shop/production] Boom marked as unresolved by Olga Owner", "[Shop/production] Olga Owner commented on Boom: On it.",
		}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		if first.Header.Get("Honeybadger-Token") == "" || first.Header.Get("webhook-signature") == "" || first.ID == "" {
			t.Errorf("headers %v", first.Header)
		}
	}, nearby)
}

// A receiver that is down for six hours gets everything afterwards, about each fault in order, and nothing twice.
func TestReceiverThatIsDownForSixHours(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b, teacher := inbox.Open(t), inbox.Open(t)
		b.Down(http.StatusServiceUnavailable)
		hook(s, b, nil)
		hook(s, teacher, map[string]any{"events": []string{"occurred"}}) // shows the test the ids of faults
		const faults = 5
		for n := range faults {
			breaks(s, fmt.Sprint("Boom", n))
		}
		for _, m := range teacher.Await(t, faults) {
			fault := projectPath(s, fmt.Sprint("/faults/", m.FaultID))
			s.Put(fault, `{"fault":{"resolved":true}}`).Want(http.StatusNoContent)
			s.Put(fault, `{"fault":{"resolved":false}}`).Want(http.StatusNoContent)
		}
		b.AwaitTries(t, faults)
		for _, later := range []time.Duration{time.Minute, 29 * time.Minute, 90 * time.Minute, 4 * time.Hour} {
			tries := b.Tries()
			s.Clock.Push(later)
			b.AwaitTries(t, tries+1)
		}
		if n := len(b.Messages()); n > 0 {
			t.Fatalf("%d were taken while it was down", n)
		}
		b.Answer(nil)
		s.Clock.Push(6 * time.Hour) // the next try of one brings the others home
		eventsOf := map[int64]string{}
		ids := map[string]bool{}
		for _, m := range b.Await(t, 3*faults) {
			eventsOf[m.FaultID] += m.Event + " "
			ids[m.ID] = true
		}
		for fault, events := range eventsOf {
			if events != "occurred resolved unresolved " {
				t.Errorf("of fault %d: %s", fault, events)
			}
		}
		if len(eventsOf) != faults || len(ids) != 3*faults {
			t.Errorf("%d faults, %d ids", len(eventsOf), len(ids))
		}
	}, nearby)
}

// Ten thousand faults in a minute make no more messages than the limit, and one summary.
func TestFlood(t *testing.T) {
	t.Parallel()
	floods := map[string]int{"sqlite": 10_000, "postgres": 1_000}
	if testing.Short() {
		floods["sqlite"] = 1_000
	}
	for engine, faults := range floods {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, b := setttest.Start(t, engine, nearby), inbox.Open(t)
			id := hook(s, b, map[string]any{"notification_limit": 30})
			var clients sync.WaitGroup
			for client := range 4 {
				clients.Go(func() {
					for n := client; n < faults-1; n += 4 {
						breaks(s, fmt.Sprint("Boom", n))
					}
				})
			}
			clients.Wait()
			breaks(s, "Last")
			b.Await(t, 30)
			for newestSubject(s, id) != fmt.Sprint("fault ", faultOf(s, "Last")) { // until all alerts are spread
				<-time.After(20 * time.Millisecond)
			}
			s.Clock.Push(11 * time.Minute)
			messages := b.Await(t, 31)
			last := messages[len(messages)-1]
			if want := fmt.Sprintf("[Shop] and %d more", faults-30); len(messages) != 31 || last.Event != "flooded" || !strings.HasPrefix(last.Text, want) {
				t.Errorf("%d messages, the last: %s %q, want %q", len(messages), last.Event, last.Text, want)
			}
		})
	}
}

// newestSubject returns what the newest delivery of an integration is about.
func newestSubject(s *setttest.Server, integration int64) any {
	deliveries := s.Get(projectPath(s, fmt.Sprintf("/integrations/%d/deliveries", integration))).Want(http.StatusOK).JSON()["results"].([]any)
	return deliveries[0].(map[string]any)["subject"]
}

// faultOf returns the id of the fault of a class.
func faultOf(s *setttest.Server, class string) int64 {
	faults := s.Get(projectPath(s, "/faults?q=class:"+class)).Want(http.StatusOK).JSON()["results"].([]any)
	return int64(faults[0].(map[string]any)["id"].(float64))
}

// A receiver that hangs does not delay the others.
func TestReceiverThatHangs(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		slow, quick := inbox.Open(t), inbox.Open(t)
		over := make(chan struct{})
		t.Cleanup(func() { close(over) })
		slow.Answer(func(http.ResponseWriter, int) bool { <-over; return false })
		for range 40 { // with 20 faults, more than can be in flight at once
			hook(s, slow, nil)
		}
		hook(s, quick, nil)
		for n := range 20 {
			breaks(s, fmt.Sprint("Boom", n))
		}
		quick.Await(t, 20)
	}, nearby)
}

// What is being sent when the server stops is taken to its end and recorded: the next server does not send it again.
func TestStopWaitsForWhatIsBeingSent(t *testing.T) {
	t.Parallel()
	s, b := setttest.Start(t, "sqlite", nearby), inbox.Open(t)
	goOn := make(chan struct{})
	b.Answer(func(http.ResponseWriter, int) bool { <-goOn; return true })
	id := hook(s, b, nil)
	breaks(s, "Boom")
	b.AwaitTries(t, 1)
	time.AfterFunc(200*time.Millisecond, func() { close(goOn) })
	s.Stop(t)
	if n := len(b.Messages()); n != 1 {
		t.Errorf("%d messages were taken when the server had stopped", n)
	}
	again, err := store.Open(t.Context(), db.Options{Dir: s.Config.Data})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	deliveries, _, err := again.Deliveries.ListDeliveries(t.Context(), s.Setup.ProjectID, id, sett.Page{Size: 10})
	if err != nil || len(deliveries) != 1 || deliveries[0].State != alerts.DeliverySent {
		t.Errorf("deliveries %+v, %v", deliveries, err)
	}
}

// If a channel does not send a message, the delivery log says so.
func TestDeliveryLogSaysThatNothingWasSent(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", nearby)
	id := hook(s, inbox.Open(t), map[string]any{
		"type": "PagerDutyV2", "events": []string{"commented"}, "options": map[string]any{"routing_key": strings.Repeat("a", 32)},
	})
	breaks(s, "Boom")
	s.Post(projectPath(s, fmt.Sprintf("/faults/%d/comments", faultOf(s, "Boom"))), `{"comment":{"body":"On it."}}`).Want(http.StatusCreated)
	path := projectPath(s, fmt.Sprintf("/integrations/%d/deliveries", id))
	for {
		for _, d := range s.Get(path).Want(http.StatusOK).JSON()["results"].([]any) {
			if d := d.(map[string]any); d["state"] == "sent" {
				if problem, _ := d["problem"].(string); !strings.HasPrefix(problem, "not sent") {
					t.Errorf("it says %q", problem)
				}
				return
			}
		}
		<-time.After(20 * time.Millisecond)
	}
}

// Messages of quiet hours are sent when these end, in order for each fault. Receivers without quiet hours get them at once.
func TestReceiverWithQuietHours(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b, awake := inbox.Open(t), inbox.Open(t)
		from := s.Clock.Now().UTC().Truncate(time.Minute)
		to := from.Add(3 * time.Hour)
		hook(s, b, map[string]any{"quiet_hours": map[string]any{"from": from.Format("15:04"), "to": to.Format("15:04")}})
		hook(s, awake, nil)
		breaks(s, "Boom")
		fault := projectPath(s, fmt.Sprint("/faults/", awake.Await(t, 1)[0].FaultID))
		s.Put(fault, `{"fault":{"resolved":true}}`).Want(http.StatusNoContent)
		awake.Await(t, 2)
		s.Clock.Push(to.Add(-time.Second).Sub(s.Clock.Now()))
		breaks(s, "Bang")
		awake.Await(t, 3)
		if early := b.Messages(); len(early) > 0 {
			t.Errorf("sent in quiet hours: %v", early)
		}
		s.Clock.Push(time.Second)
		var texts []string
		for _, m := range b.Await(t, 3) {
			texts = append(texts, m.Text)
		}
		boom, bang := slices.Index(texts, "[Shop/production] Boom: it broke"), slices.Index(texts, "[Shop/production] Bang: it broke")
		if resolved := slices.Index(texts, "[Shop/production] Boom resolved by Olga Owner"); boom < 0 || bang < 0 || resolved < boom {
			t.Errorf("sent %v", texts)
		}
	}, nearby)
}
