package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/setttest"
)

const trackerSecret = "the secret of this webhook"

// hub is a GitHub with one issue, which sends webhooks as the real one does: about each change, also about those that sett makes.
type hub struct {
	*httptest.Server
	t    *testing.T
	hook string

	mu       sync.Mutex
	repo     string
	open     bool
	at       time.Time
	sets     int      // requests that changed or confirmed the state
	comments []string // that sett wrote
	queue    []string // events that wait to be sent
	bodies   [][]byte
	last     []byte
	before   func() // runs once before sett's next request is handled
}

func newHub(t *testing.T, repo string, at time.Time) *hub {
	h := &hub{t: t, repo: repo, open: true, at: at}
	h.Server = httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.Close)
	return h
}

func (h *hub) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.before != nil {
		before := h.before
		h.before = nil
		before()
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPatch:
		var said struct{ State string }
		_ = json.Unmarshal(body, &said)
		h.sets++
		h.turn(said.State == "open", "sett-bot", "completed")
		w.Header().Set("Date", h.at.UTC().Format(http.TimeFormat))
		_, _ = io.WriteString(w, `{"number":12}`)
	case strings.HasSuffix(r.URL.Path, "/comments"):
		var said struct{ Body string }
		_ = json.Unmarshal(body, &said)
		h.comments = append(h.comments, said.Body)
		h.comment(said.Body, "sett-bot", int64(1000+len(h.comments)))
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":1}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// turn opens or closes the issue, with a webhook if that changes it.
func (h *hub) turn(open bool, by, reason string) {
	if h.at = h.at.Add(2 * time.Second); h.open == open {
		return
	}
	h.open = open
	action := "closed"
	if open {
		action, reason = "reopened", "reopened"
	}
	h.say("issues", fmt.Sprintf(`{"action":%q,"issue":{"number":12,"state_reason":%q,"updated_at":%q},"repository":{"full_name":%q},"sender":{"login":%q}}`,
		action, reason, h.at.UTC().Format(time.RFC3339), h.repo, by))
}

func (h *hub) comment(text, by string, id int64) {
	h.say("issue_comment", fmt.Sprintf(`{"action":"created","issue":{"number":12,"updated_at":%q},"comment":{"id":%d,"body":%s,"created_at":%q,"user":{"login":%q}},
		"repository":{"full_name":%q},"sender":{"login":%q}}`, h.at.UTC().Format(time.RFC3339), id, quoted(text), h.at.UTC().Format(time.RFC3339), by, h.repo, by))
}

func quoted(text string) string { b, _ := json.Marshal(text); return string(b) }

func (h *hub) say(event, body string) {
	h.queue, h.bodies, h.last = append(h.queue, event), append(h.bodies, []byte(body)), []byte(body)
}

// flushLater takes the last webhook out of the queue.
func (h *hub) flushLater() []byte {
	h.queue, h.bodies = nil, nil
	return h.last
}

// person does something in the tracker, and its webhooks arrive.
func (h *hub) person(do func()) {
	h.mu.Lock()
	do()
	h.mu.Unlock()
	h.flush()
}

// flush sends what waits, and returns it.
func (h *hub) flush() (sent [][]byte) {
	h.mu.Lock()
	events, bodies := h.queue, h.bodies
	h.queue, h.bodies = nil, nil
	h.mu.Unlock()
	for i, body := range bodies {
		h.post(events[i], body, trackerSecret, http.StatusCreated)
	}
	return bodies
}

func (h *hub) post(event string, body []byte, secret string, want int) string {
	h.t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	r, _ := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.hook, strings.NewReader(string(body)))
	r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	r.Header.Set("X-GitHub-Event", event)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Error(err)
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != want {
		h.t.Errorf("%s is answered with %d, want %d: %s", event, answer.StatusCode, want, text)
	}
	return string(text)
}

func (h *hub) state() (open bool, sets int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open, h.sets
}

// trackerStory is an error that is linked with issues.
type trackerStory struct {
	*setttest.Server
	t     *testing.T
	fault string
	hubs  []*hub
}

func newTrackerStory(t *testing.T, engine, events string, repos ...string) *trackerStory {
	t.Helper()
	s := setttest.Start(t, engine, func(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	story := &trackerStory{Server: s, t: t}
	project := fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)
	s.Do("POST", "/v1/notices", `{"error":{"class":"Boom","message":"It broke"},"server":{"environment_name":"production"}}`).Want(http.StatusCreated)
	var found struct{ Results []struct{ ID int64 } }
	s.Get(project + "/faults").Into(&found)
	story.fault = fmt.Sprintf("%s/faults/%d", project, found.Results[0].ID)
	for _, repo := range repos {
		h := newHub(t, repo, s.Clock.Now())
		var made struct {
			ID         int64
			WebhookURL string `json:"webhook_url"`
		}
		s.Post(project+"/integrations", fmt.Sprintf(`{"integration":{"type":"Github","events":[%s],"options":{"repo":%q,"token":"t","server":%q,"webhook_secret":%q}}}`,
			events, repo, h.URL, trackerSecret)).Into(&made)
		if want := fmt.Sprintf("/v1/integrations/%d/webhook", made.ID); !strings.HasSuffix(made.WebhookURL, want) {
			t.Fatalf("the webhook is at %q", made.WebhookURL)
		}
		h.hook = fmt.Sprintf("%s/v1/integrations/%d/webhook", s.Base, made.ID)
		s.Post(story.fault+"/link", fmt.Sprintf(`{"channel_id":%d,"data":{"number":12}}`, made.ID)).Want(http.StatusOK)
		story.hubs = append(story.hubs, h)
	}
	return story
}

func (s *trackerStory) resolved() bool {
	var f struct{ Resolved bool }
	s.Get(s.fault).Into(&f)
	return f.Resolved
}

func (s *trackerStory) resolve(on bool) { s.Put(s.fault, fmt.Sprintf(`{"fault":{"resolved":%v}}`, on)) }

func (s *trackerStory) history() (said []string) {
	var list struct {
		Results []struct{ Event, Source, Author, Body string }
	}
	s.Get(s.fault + "/comments").Into(&list)
	for _, c := range list.Results {
		said = append(said, strings.TrimSpace(c.Source+" "+c.Author+": "+c.Body))
	}
	return said
}

// rest sends webhooks and deliveries to and fro until neither has anything to say, and fails if that takes many rounds.
func (s *trackerStory) rest() {
	s.t.Helper()
	for range 12 {
		s.settle()
		quiet := true
		for _, h := range s.hubs {
			quiet = len(h.flush()) == 0 && quiet
		}
		if quiet {
			return
		}
	}
	s.t.Fatal("sett and the trackers go on and on")
}

// settle returns once every alert is sent.
func (s *trackerStory) settle() {
	s.t.Helper()
	until(s.t, func() []string {
		var waits int
		row := s.App.Store().DB.Read.QueryRowContext(s.t.Context(), `SELECT (SELECT count(*) FROM alerts WHERE NOT spread) + (SELECT count(*) FROM deliveries WHERE state = 'due')`)
		if err := row.Scan(&waits); err != nil || waits > 0 {
			return []string{fmt.Sprintf("%d alerts and deliveries: %v", waits, err)}
		}
		return nil
	})
}

func (s *trackerStory) want(what string, resolved bool, open ...bool) {
	s.t.Helper()
	s.rest()
	if got := s.resolved(); got != resolved {
		s.t.Errorf("%s: resolved is %v, want %v", what, got, resolved)
	}
	for i, h := range s.hubs {
		if got, _ := h.state(); got != open[i] {
			s.t.Errorf("%s: the issue of %s is open: %v, want %v", what, h.repo, got, open[i])
		}
	}
}

const bothWays = `"resolved","unresolved"`

// What is closed or reopened on either side is so on the other, and each step is one request.
func TestTrackersAndSettAgree(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		s := newTrackerStory(t, engine, bothWays, "acme/shop")
		h := s.hubs[0]
		h.person(func() { h.turn(false, "ada", "completed") })
		s.want("closed in the tracker", true, false)
		h.person(func() { h.turn(true, "ada", "") })
		s.want("reopened in the tracker", false, true)
		h.person(func() { h.turn(false, "ada", "not_planned") })
		s.want("closed as not planned", true, false)
		if _, sets := h.state(); sets != 0 {
			t.Errorf("what comes from the tracker is sent back %d times", sets)
		}
		s.resolve(false)
		s.want("unresolved in sett", false, true)
		s.resolve(true)
		s.want("resolved in sett", true, false)
		if _, sets := h.state(); sets != 2 {
			t.Errorf("two changes are %d requests", sets)
		}
		want := []string{
			"system : Resolved: issue acme/shop#12 was closed by ada.",
			"system : Reopened: issue acme/shop#12 was reopened by ada.",
			"system : Resolved: issue acme/shop#12 was closed as not planned by ada.",
		}
		got := s.history()
		if len(got) != 5 || !slices.Equal(got[:3], want) {
			t.Errorf("the history is %q", got)
		}
	}
}

// Two trackers of one error follow each other, and rest.
func TestTwoTrackers(t *testing.T) {
	t.Parallel()
	s := newTrackerStory(t, "sqlite", bothWays, "acme/shop", "acme/app")
	one, two := s.hubs[0], s.hubs[1]
	one.person(func() { one.turn(false, "ada", "completed") })
	s.want("closed in one", true, false, false)
	two.person(func() { two.turn(true, "bob", "") })
	s.want("reopened in the other", false, true, true)
	_, a := one.state()
	if _, b := two.state(); a != 1 || b != 1 {
		t.Errorf("%d and %d requests, want one each", a, b)
	}
	// crossing: both are closed by sett, and in the meantime one is reopened by a person, and the other closed
	two.mu.Lock()
	two.before = func() { two.turn(false, "bob", "completed"); two.turn(true, "bob", "") }
	two.mu.Unlock()
	s.resolve(true)
	s.rest()
	_, a = one.state()
	if _, b := two.state(); a > 4 || b > 4 {
		t.Errorf("after a crossing: %d and %d requests", a, b)
	}
}

// Resolved in sett while it is reopened in the tracker: both have the state that the tracker had last.
func TestTrackerCrossing(t *testing.T) {
	t.Parallel()
	s := newTrackerStory(t, "sqlite", bothWays, "acme/shop")
	h := s.hubs[0]
	h.person(func() { h.turn(false, "ada", "completed") })
	s.want("closed", true, false)
	s.resolve(false)
	s.settle() // the webhook about it waits
	h.mu.Lock()
	h.turn(false, "ada", "completed")
	h.turn(true, "ada", "")
	h.mu.Unlock()
	s.resolve(true)
	s.settle()
	s.want("resolved in sett last", true, false)
	// the other order: a person is the last
	s.resolve(false)
	s.settle()
	h.mu.Lock()
	h.turn(false, "ada", "completed")
	h.mu.Unlock()
	s.want("closed in the tracker last", true, false)
}

// What is forged, late, a repetition, of another repository or of an issue without an error changes nothing.
func TestTrackerWebhooksThatChangeNothing(t *testing.T) {
	t.Parallel()
	s := newTrackerStory(t, "sqlite", bothWays, "acme/shop")
	h := s.hubs[0]
	h.mu.Lock()
	h.turn(false, "ada", "completed")
	closed := h.flushLater()
	h.turn(true, "ada", "")
	reopened := h.flushLater()
	h.mu.Unlock()
	if said := h.post("issues", closed, "guessed", http.StatusUnauthorized); !strings.Contains(said, "enter the webhook secret of the channel under Secret") {
		t.Errorf("forged: %s", said)
	}
	s.want("forged", false, true)
	h.post("issues", reopened, trackerSecret, http.StatusCreated)
	h.post("issues", closed, trackerSecret, http.StatusCreated)
	s.want("the older one comes later", false, true)
	h.post("issues", []byte(strings.ReplaceAll(string(closed), `"number":12`, `"number":1`)), trackerSecret, http.StatusCreated)
	h.post("issues", []byte(strings.ReplaceAll(string(closed), "acme/shop", "acme/other")), trackerSecret, http.StatusUnprocessableEntity)
	h.post("ping", []byte(`{"zen":"."}`), trackerSecret, http.StatusCreated)
	s.want("of another issue, and repository", false, true)
	h.person(func() { h.turn(false, "ada", "completed") })
	s.want("a new one", true, false)
	again := h.last
	s.resolve(false)
	s.rest()
	h.post("issues", again, trackerSecret, http.StatusCreated)
	s.want("repeated after it was reopened in sett", false, true)
	if got := len(s.history()); got != 2 {
		t.Errorf("%d entries: %q", got, s.history())
	}
	integration := h.hook[strings.Index(h.hook, "integrations/")+len("integrations/"):]
	integration, _, _ = strings.Cut(integration, "/")
	s.Do("DELETE", fmt.Sprintf("/v2/projects/%d/integrations/%s", s.Setup.ProjectID, integration), nil).Want(http.StatusNoContent)
	h.post("issues", closed, trackerSecret, http.StatusNotFound)
}

// Comments go both ways where the channel has the event, each once, and none comes back.
func TestTrackerComments(t *testing.T) {
	t.Parallel()
	s := newTrackerStory(t, "sqlite", `"commented"`, "acme/shop", "acme/app")
	one, two := s.hubs[0], s.hubs[1]
	one.person(func() { one.comment("It is the cache.\n<script>alert(1)</script> @everyone", "bob", 7) })
	one.post("issue_comment", one.last, trackerSecret, http.StatusCreated) // again
	s.rest()
	s.Post(s.fault+"/comments", `{"comment":{"body":"I look at it."}}`)
	s.rest()
	got := s.history()
	if len(got) != 2 || got[0] != "tracker bob (acme/shop#12): It is the cache.\n<script>alert(1)</script> @everyone" || !strings.Contains(got[1], "I look at it.") {
		t.Errorf("the history is %q", got)
	}
	if len(one.comments) != 1 || !strings.Contains(one.comments[0], "I look at it.") {
		t.Errorf("one has %q", one.comments)
	}
	if len(two.comments) != 2 || !strings.Contains(two.comments[0], "```\nbob") || !strings.Contains(two.comments[0], "It is the cache.") {
		t.Errorf("the other has %q", two.comments)
	}
}

// Without the event, no comment goes either way.
func TestTrackerCommentsAreOff(t *testing.T) {
	t.Parallel()
	s := newTrackerStory(t, "sqlite", bothWays, "acme/shop")
	h := s.hubs[0]
	h.person(func() { h.comment("Hello", "bob", 7) })
	s.Post(s.fault+"/comments", `{"comment":{"body":"I look at it."}}`)
	s.rest()
	if got := s.history(); len(got) != 1 || len(h.comments) != 0 {
		t.Errorf("the history is %q, and the issue has %q", got, h.comments)
	}
}

// The issue of an error that was merged counts for the other.
func TestTrackerOfMergedError(t *testing.T) {
	t.Parallel()
	s := newTrackerStory(t, "sqlite", bothWays, "acme/shop")
	h := s.hubs[0]
	s.Do("POST", "/v1/notices", `{"error":{"class":"Other","message":"It broke"},"server":{"environment_name":"production"}}`).Want(http.StatusCreated)
	var found struct{ Results []struct{ ID int64 } }
	s.Get(fmt.Sprintf("/v2/projects/%d/faults?q=class:Other", s.Setup.ProjectID)).Into(&found)
	into := found.Results[0].ID
	s.Post(s.fault+"/merge", fmt.Sprintf(`{"into_id":%d}`, into)).Want(http.StatusOK)
	s.fault = fmt.Sprintf("/v2/projects/%d/faults/%d", s.Setup.ProjectID, into)
	h.person(func() { h.turn(false, "ada", "completed") })
	s.want("the issue of the merged error is closed", true, false)
	again := h.last
	s.resolve(false)
	s.rest()
	h.post("issues", again, trackerSecret, http.StatusCreated)
	s.want("said again", false, false)
}

// Who guesses ids hears nothing of the channels of other accounts.
func TestWebhooksOfOtherChannels(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	var made struct{ ID int64 }
	s.Post(fmt.Sprintf("/v2/projects/%d/integrations", s.Setup.ProjectID), `{"integration":{"type":"WebHook","options":{"url":"https://hook.example.org"}}}`).Into(&made)
	stranger := *s.Client
	stranger.Token = ""
	there := stranger.Do("POST", fmt.Sprintf("/v1/integrations/%d/webhook", made.ID), "{}").Want(http.StatusNotFound)
	none := stranger.Do("POST", "/v1/integrations/99999/webhook", "{}").Want(http.StatusNotFound)
	if string(there.Body) != string(none.Body) {
		t.Errorf("%s differs from %s", there.Body, none.Body)
	}
}
