package notify

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/setttest/inbox"
	"sett/internal/setttest/mailserver"
	"sett/internal/store"
	"sett/internal/store/statusdb"
)

const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// ask subscribes a webhook, without its confirmation.
func (b *bulletin) ask(address string) {
	b.t.Helper()
	if err := b.Status.SubscribeWebHook(b.t.Context(), b.clock.Now(), b.page.ID, address, hookSecret); err != nil {
		b.t.Fatal(err)
	}
}

// hook subscribes a webhook that confirms, and returns its token.
func (b *bulletin) hook(box *inbox.Inbox, address string) (token string) {
	b.t.Helper()
	b.ask(address)
	b.run()
	var asked subscriptionPayload
	if err := json.Unmarshal(box.Messages()[len(box.Messages())-1].Body, &asked); err != nil {
		b.t.Fatal(err)
	}
	token = asked.ConfirmURL[strings.LastIndex(asked.ConfirmURL, "/")+1:]
	if _, err := b.Status.ConfirmSubscriber(b.t.Context(), b.clock.Now(), b.page.ID, token); err != nil {
		b.t.Fatal(err)
	}
	return token
}

// subscriber returns the only one of the page.
func (b *bulletin) subscriber() status.StatusSubscriber {
	b.t.Helper()
	found, _, err := b.Status.ListSubscribers(b.t.Context(), b.account, b.page.ID, sett.Page{Size: 10})
	if err != nil || len(found) != 1 {
		b.t.Fatal(found, err)
	}
	return found[0]
}

// saidTo are the messages of the updates that were taken.
func saidTo(box *inbox.Inbox) (said []string) {
	for _, m := range box.Messages() {
		var p statusUpdatePayload
		if json.Unmarshal(m.Body, &p) == nil && p.Type == statusUpdateType {
			said = append(said, p.Update.Message)
		}
	}
	return said
}

func wantSaid(t *testing.T, when string, box *inbox.Inbox, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, saidTo(box)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// A webhook gets one request before it has confirmed. After that it gets new updates, in order.
func TestWebHooksGetUpdatesOnceConfirmed(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *store.Store) {
		box := inbox.Open(t)
		b := newBulletin(t, s, nil)
		b.ask(box.URL + "?key=hush")
		b.open("Early", "There is no confirmed subscriber.")
		b.run()
		if n := len(box.Messages()); n != 1 {
			t.Fatalf("%d messages before there was a confirmation, want 1", n)
		}
		var asked subscriptionPayload
		if err := json.Unmarshal(box.Messages()[0].Body, &asked); err != nil || asked.Type != subscriptionType || asked.Page.Name != "Acme & Sons" {
			t.Errorf("%+v, %v", asked, err)
		}
		check(t, schemaOf(t, subscriptionType, true), box.Messages()[0].Body)
		token, below := strings.CutPrefix(asked.ConfirmURL, "https://sett.example.org/status/acme/subscribers/")
		if _, err := b.Status.ConfirmSubscriber(t.Context(), b.clock.Now(), b.page.ID, token); err != nil || !below {
			t.Fatal(asked.ConfirmURL, err)
		}
		b.clock.Push(time.Minute)
		slow := b.open("Slow checkout", "one")
		b.add(slow, "two")
		b.run()
		wantSaid(t, "once it has confirmed", box, "one", "two")
		for n, m := range box.Messages() {
			if m.Header.Get("webhook-signature") == "" || m.Header.Get("webhook-timestamp") == "" || m.Header["Honeybadger-Token"] != nil {
				t.Errorf("message %d: %v", n, m.Header)
			}
		}
		first := box.Messages()[1]
		check(t, schemaOf(t, statusUpdateType, true), first.Body)
		if want := fmt.Sprintf("status_%d_%d_%d", slow.Updates[0].ID, b.subscriber().ID, slow.Updates[0].At.UnixMicro()); first.ID != want {
			t.Errorf("webhook-id %q, want %q", first.ID, want)
		}
		var got statusUpdatePayload
		if err := json.Unmarshal(first.Body, &got); err != nil {
			t.Fatal(err)
		}
		want := statusUpdatePayload{
			Type: statusUpdateType, Page: statusPageBlock{b.page.ID, "Acme & Sons", "https://sett.example.org/status/acme"},
			Incident: statusIncidentBlock{
				slow.ID, "incident", "Slow checkout", fmt.Sprintf("https://sett.example.org/status/acme/incidents/%d", slow.ID), b.clock.Now(), nil, "", []string{},
			},
			Update:    statusUpdateBlock{slow.Updates[0].ID, "investigating", "one", false, b.clock.Now()},
			ChooseURL: asked.ConfirmURL, UnsubscribeURL: asked.ConfirmURL + "/unsubscribe",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A webhook that is down or busy for days gets all updates once it answers again: in order, and each once.
func TestWebHooksGetMissedUpdatesLater(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, s *store.Store) {
		box := inbox.Open(t)
		b := newBulletin(t, s, nil)
		b.hook(box, box.URL)
		var ids []string
		for _, refuse := range []func(http.ResponseWriter){
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestTimeout) },
			func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		} {
			began := b.clock.Now()
			slow := b.open("Slow", "one")
			b.add(slow, "two")
			box.Answer(func(w http.ResponseWriter, _ int) bool { refuse(w); return false })
			b.run()
			for b.clock.Now().Sub(began) < status.FailingTooLong-25*time.Hour {
				b.clock.Push(6 * time.Hour)
				b.run()
			}
			if got := b.subscriber(); got.Problem == "" || !got.FailingAt.Equal(began) || got.ConfirmedAt.IsZero() {
				t.Errorf("after days: %+v", got)
			}
			before := len(saidTo(box))
			box.Answer(nil)
			b.clock.Push(30 * time.Hour)
			b.run()
			if diff := cmp.Diff([]string{"one", "two"}, saidTo(box)[before:]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := b.subscriber(); got.Problem != "" || !got.FailingAt.IsZero() {
				t.Errorf("at the end: %+v", got)
			}
		}
		for _, m := range box.Messages() {
			ids = append(ids, m.ID)
		}
		if len(ids) != 9 {
			t.Errorf("%d messages", len(ids))
		}
	})
}

func TestRetryAfterOfAWebHook(t *testing.T) {
	t.Parallel()
	box := inbox.Open(t)
	b := newBulletin(t, openMigrated(t), nil)
	b.hook(box, box.URL)
	tries := box.Tries()
	box.Answer(func(w http.ResponseWriter, _ int) bool {
		w.Header().Set("Retry-After", "7200")
		w.WriteHeader(http.StatusTooManyRequests)
		return false
	})
	b.open("Slow", "one")
	b.run()
	b.clock.Push(7200*time.Second - 1)
	b.run()
	if n := box.Tries() - tries; n != 1 {
		t.Errorf("%d tries before it wants to be asked again", n)
	}
	b.clock.Push(1)
	b.run()
	if n := box.Tries() - tries; n != 2 {
		t.Errorf("%d tries after that, want 2", n)
	}
}

// The same message has the same id at every try.
func TestTriesOfAWebHookHaveOneID(t *testing.T) {
	t.Parallel()
	box := inbox.Open(t)
	b := newBulletin(t, openMigrated(t), nil)
	b.hook(box, box.URL)
	box.Answer(func(w http.ResponseWriter, _ int) bool { w.WriteHeader(http.StatusServiceUnavailable); return true }) // the answer is lost
	b.open("Slow", "one")
	for range 3 {
		b.run()
		b.clock.Push(3 * time.Minute)
	}
	ids := map[string]int{}
	for _, m := range box.Messages()[1:] {
		ids[m.ID]++
	}
	if len(box.Messages()) != 4 || len(ids) != 1 {
		t.Errorf("%d tries, %v", len(box.Messages())-1, ids)
	}
}

// A webhook that rejects an update for good, or redirects it, gets no more updates. Its subscriber keeps the reason.
func TestWebHooksThatRefuseAreStopped(t *testing.T) {
	t.Parallel()
	for status, why := range map[int]string{
		http.StatusGone: "returned 410", http.StatusNotFound: "returned 404", http.StatusForbidden: "returned 403", http.StatusFound: "redirects are not followed",
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			box := inbox.Open(t)
			b := newBulletin(t, openMigrated(t), nil)
			b.hook(box, box.URL)
			box.Answer(func(w http.ResponseWriter, _ int) bool {
				w.Header().Set("Location", box.URL)
				w.WriteHeader(status)
				return false
			})
			tries := box.Tries()
			slow := b.open("Slow", "one")
			b.add(slow, "two")
			b.run()
			b.clock.Push(24 * time.Hour)
			b.add(slow, "three")
			b.run()
			if got := b.subscriber(); !got.ConfirmedAt.IsZero() || !strings.Contains(got.Problem, why) {
				t.Errorf("%+v", got)
			}
			if n := box.Tries() - tries; n != 1 {
				t.Errorf("%d tries, want 1", n)
			}
			if log := b.log.String(); !strings.Contains(log, "did not receive an update") {
				t.Errorf("log:\n%s", log)
			}
		})
	}
}

// After seven days of it, 503 ends the matter as well.
func TestWebHookThatIsAwayForTooLongIsStopped(t *testing.T) {
	t.Parallel()
	box := inbox.Open(t)
	b := newBulletin(t, openMigrated(t), nil)
	b.hook(box, box.URL)
	box.Down(http.StatusServiceUnavailable)
	b.open("Slow", "one")
	b.run()
	b.clock.Push(status.FailingTooLong - time.Second)
	b.run()
	if got := b.subscriber(); got.ConfirmedAt.IsZero() {
		t.Errorf("stopped too early: %+v", got)
	}
	b.clock.Push(time.Second)
	b.run()
	if got := b.subscriber(); !got.ConfirmedAt.IsZero() || !strings.Contains(got.Problem, "returned 503") {
		t.Errorf("not stopped: %+v", got)
	}
	tries := box.Tries()
	b.clock.Push(48 * time.Hour)
	b.open("Broken", "two")
	b.run()
	if box.Tries() != tries {
		t.Error("it still gets updates")
	}
}

// A confirmation request that fails is tried again until its link expires.
func TestAskingAWebHookThatIsAway(t *testing.T) {
	t.Parallel()
	box := inbox.Open(t)
	b := newBulletin(t, openMigrated(t), nil)
	box.Down(http.StatusBadGateway)
	b.ask(box.URL)
	for range 47 {
		b.run()
		b.clock.Push(time.Hour)
	}
	if got := b.subscriber(); !strings.Contains(got.Problem, "returned 502") || box.Tries() < 5 || box.Tries() > 12 {
		t.Errorf("%d tries, %+v", box.Tries(), got)
	}
	for range 3 {
		b.clock.Push(time.Hour)
		b.run()
	}
	if found, _, err := b.Status.ListSubscribers(t.Context(), b.account, b.page.ID, sett.Page{Size: 10}); len(found) != 0 || err != nil {
		t.Errorf("kept: %+v, %v", found, err)
	}
}

// Addresses inside of the server's own networks are not connected to.
func TestWebHooksInsideAreRefused(t *testing.T) {
	t.Parallel()
	b := newBulletin(t, openMigrated(t), nil)
	b.ask("http://10.1.2.3/hook")
	b.run()
	if got := b.subscriber(); got.Problem == "" || strings.Contains(got.Problem, "SETT_") {
		t.Errorf("%+v", got)
	}
}

// Webhooks that do not answer delay no emails. Once they answer, every webhook gets the update.
func TestHangingWebHooksDelayNoEmails(t *testing.T) {
	t.Parallel()
	server := mailserver.Start(t, mailserver.Options{})
	box := inbox.Open(t)
	b := newBulletin(t, openMigrated(t), server)
	for n := range 3 * maxPerLane {
		b.hook(box, fmt.Sprint(box.URL, "?", n))
	}
	b.subscribe("ann@example.test", "bob@example.test")
	stuck, tries := make(chan struct{}), box.Tries()
	box.Answer(func(http.ResponseWriter, int) bool { <-stuck; return true })
	b.open("Slow", "one")
	for more := true; more; {
		more, _ = b.fanOut(t.Context())
	}
	for range 3 {
		if _, err := b.claim(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		server.Next(t)
	}
	box.AwaitTries(t, tries+maxPerLane)
	held, all := b.inFlight.held(statusdb.NoticeLane(b.page.Number, status.WebHookSubscriber)), b.inFlight.all()
	if held != maxPerLane || all > maxPerLane+2 {
		t.Errorf("%d of the webhooks are in flight, and %d in all", held, all)
	}
	close(stuck)
	b.inFlight.senders.Wait()
	if _, err := b.record(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.run()
	if n := len(saidTo(box)); n != 3*maxPerLane {
		t.Errorf("%d webhooks got the update, want %d", n, 3*maxPerLane)
	}
}

// What is cut off when the server stops is no failure, and sent again.
func TestWhatIsCutOffIsSentAgain(t *testing.T) {
	t.Parallel()
	box := inbox.Open(t)
	b := newBulletin(t, openMigrated(t), nil)
	b.hook(box, box.URL)
	stuck, tries := make(chan struct{}), box.Tries()
	box.Answer(func(http.ResponseWriter, int) bool { <-stuck; return false })
	b.open("Slow", "one")
	for more := true; more; {
		more, _ = b.fanOut(t.Context())
	}
	if _, err := b.claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	box.AwaitTries(t, tries+1)
	b.inFlight.stop(errStopped)
	if err := b.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(stuck)
	if got := b.subscriber(); got.Problem != "" {
		t.Errorf("%+v", got)
	}
	box.Answer(nil)
	b.StatusNotifier = NewStatusNotifier(b.StatusNotifierOptions) // of the next process
	b.run()
	wantSaid(t, "after it", box, "one")
}
