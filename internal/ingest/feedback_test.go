package ingest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/searchdb"
)

// feedbackItem is feedback as Sentry's SDKs send it, about an event if that is not "".
func feedbackItem(id, about, more string) string {
	return item(`{"type":"feedback"}`, fmt.Appendf(nil, `{"event_id":%q,"type":"feedback","level":"info","contexts":{"feedback":{"message":"It hangs.","contact_email":"ines@example.test","associated_event_id":%q}}%s}`, id, about, more))
}

func envelopeWith(id string, items ...string) string {
	return fmt.Sprintf("{\"event_id\":%q}\n%s", id, strings.Join(items, ""))
}

func (o *office) sendEnvelope(t *testing.T, body string) {
	t.Helper()
	if w := o.sendSentry(t, "/envelope/", body, nil); w.Code != http.StatusOK {
		t.Fatalf("answered %d %s", w.Code, w.Body)
	}
}

// settle does what the loop does, with all counts written.
func (o *office) settle(t *testing.T) {
	t.Helper()
	if err := o.store.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var err error
	for more := true; more; {
		if more, err = o.ingest.SettleFeedback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.store.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// heard returns by class how many notices each error has, and its comments.
func (o *office) heard(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	found, _, err := o.store.Search.ListFaults(t.Context(), o.now, o.setup.ProjectID, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		all[f.Class+" "+f.Environment] = []string{fmt.Sprint(f.NoticesCount)}
		comments, _, err := o.store.Faults.ListComments(t.Context(), o.setup.ProjectID, f.ID, sett.Page{Size: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range comments {
			all[f.Class+" "+f.Environment] = append(all[f.Class+" "+f.Environment], c.Author+": "+c.Body)
		}
	}
	return all
}

func (o *office) wantHeard(t *testing.T, when string, want map[string][]string) {
	t.Helper()
	if diff := cmp.Diff(want, o.heard(t)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

const crash = `{"exception":{"values":[{"type":"Crash","value":"x"}]}}`

// Feedback that comes before its event is a comment of it, whatever other users wrote in the same words.
func TestFeedbackBeforeItsEvent(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	first, second := strings.Repeat("ab", 16), strings.Repeat("cd", 16)
	for _, id := range []string{first, second, second} { // which is sent twice
		o.sendEnvelope(t, envelopeWith(id, feedbackItem(id, oneEventID, `,"tags":{"topic":"pay"}`), item(`{"type":"attachment","filename":"screen-`+id[:2]+`.txt"}`, []byte("a picture"))))
	}
	o.sendEnvelope(t, envelopeWith(oneEventID, item(`{"type":"user_report"}`, []byte(`{"event_id":"`+oneEventID+`","comments":"It hangs."}`))))
	o.settle(t)
	o.wantHeard(t, "before the event", map[string][]string{})
	o.sendEnvelope(t, envelopeWith(oneEventID, item(`{"type":"event"}`, []byte(crash))))
	o.settle(t)
	o.settle(t)
	o.sendEnvelope(t, envelopeWith(first, feedbackItem(first, oneEventID, ``))) // as a client repeats it
	const body = "ines@example.test: It hangs.\n\ntopic=pay"
	o.wantHeard(t, "after the event", map[string][]string{"Crash production": {"1", body, body, "a user: It hangs."}})
	const file = ` application/octet-stream 9 "a picture"`
	if diff := cmp.Diff([]string{"screen-ab.txt" + file, "screen-cd.txt" + file}, o.attached(t, oneEventID)); diff != "" {
		t.Errorf("files of the event (-want +got):\n%s", diff)
	}
	o.push(8 * 24 * time.Hour)
	o.settle(t)
	o.wantHeard(t, "a week later", map[string][]string{"Crash production": {"1", body, body, "a user: It hangs."}})
}

// Feedback whose event does not come is an event of its own, with all that an event has. If the other comes late, it gets the comment too.
func TestFeedbackWithoutItsEvent(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	about, lone := strings.Repeat("ab", 16), strings.Repeat("cd", 16)
	const more = `,"environment":"staging","release":"shop@2","timestamp":"2026-11-20T11:59:00Z","user":{"id":"7"},"tags":{"topic":"pay"},"request":{"url":"https://shop.test/pay"}`
	file := item(`{"type":"attachment","filename":"screen.txt"}`, []byte("a picture"))
	o.sendEnvelope(t, envelopeWith(about, feedbackItem(about, oneEventID, more), file))
	o.sendEnvelope(t, envelopeWith(lone, feedbackItem(lone, "", more), file))
	for n := range 5 { // in the same words
		id := fmt.Sprintf("%032x", n+1)
		o.sendEnvelope(t, envelopeWith(id, feedbackItem(id, "", "")))
	}
	o.settle(t)
	o.push(feedbackPatience - time.Second)
	o.settle(t)
	o.wantHeard(t, "while one waits", map[string][]string{"User feedback staging": {"1"}, "User feedback production": {"5"}})
	o.push(time.Second)
	o.settle(t)
	o.wantHeard(t, "after the wait", map[string][]string{"User feedback staging": {"2"}, "User feedback production": {"5"}})
	for id, about := range map[string]any{about: sentry.ID(oneEventID), lone: nil} {
		uuid, _ := sett.ParseUUID(sentry.ID(id))
		n, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, uuid)
		if err != nil {
			t.Fatal(err)
		}
		got := []any{n.Message, n.Request.URL, n.Environment.Revision, n.Environment.Time, n.Request.User.ID, n.Request.User.Email, n.Request.Context["tags"], n.Request.Context["about_event"]}
		want := []any{"It hangs.", "https://shop.test/pay", "shop@2", "2026-11-20T11:59:00Z", "7", "ines@example.test", map[string]any{"topic": "pay"}, about}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("feedback %s (-want +got):\n%s", id, diff)
		}
	}
	for _, id := range []string{about, lone} {
		if diff := cmp.Diff([]string{`screen.txt application/octet-stream 9 "a picture"`}, o.attached(t, id)); diff != "" {
			t.Errorf("files of %s (-want +got):\n%s", id, diff)
		}
	}
	o.sendEnvelope(t, envelopeWith(oneEventID, item(`{"type":"event"}`, []byte(crash))))
	o.settle(t)
	if got := o.heard(t)["Crash production"]; len(got) != 2 || got[1] != "ines@example.test: It hangs.\n\nhttps://shop.test/pay\ntopic=pay" {
		t.Errorf("the event that came late has %q", got)
	}
}
