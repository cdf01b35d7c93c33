package flow

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
)

// chat takes the messages of channels, by the path that a channel posts to.
type chat struct {
	url string

	mu    sync.Mutex
	posts map[string][]string
}

func newChat(t *testing.T) *chat {
	t.Helper()
	c := &chat{posts: map[string][]string{}}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.posts[r.URL.Path] = append(c.posts[r.URL.Path], string(body))
	fmt.Fprint(w, "ok")
}

// all returns the messages that a channel got so far.
func (c *chat) all(channel string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.posts[channel], "\n")
}

// await returns the first message to a channel that has all of the texts, once it is there.
func (c *chat) await(t *testing.T, within time.Duration, channel string, texts ...string) string {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
		for post := range strings.Lines(c.all(channel)) {
			if hasAll(post, texts) {
				return post
			}
		}
	}
	t.Fatalf("no message to %s with %q; there are %s", channel, texts, c.all(channel))
	return ""
}

const (
	firstChannel, secondChannel = "/first", "/second"
	onCallProject               = "Night watch"
)

// onCall lets three jobs fail of which a channel hears. A person acknowledges one by the link in a mail, another by that in the chat. What becomes
// of the third is another story, minutes later.
func (w *walker) onCall() {
	id, _ := w.project(onCallProject)
	w.escalate(id)
	for _, name := range []string{"Orders", "Search", "Carts"} {
		w.failJob(id, name)
	}
	inChat := regexp.MustCompile(`http://[0-9.:]+/acknowledge/[0-9]+`).FindString(w.chat.await(w.t, patience, firstChannel, "Search", "/acknowledge/"))
	inMail := regexp.MustCompile(`\n(http://[0-9.:]+/acknowledge/\S+)`).FindStringSubmatch(w.mails.mail(w.t, rig.OwnersEmail, "Carts", "/acknowledge/"))[1]
	w.chat.await(w.t, patience, firstChannel, "Orders")
	w.signOut()

	w.open(inMail)
	w.read("Carts", "Project "+onCallProject, "The check-in still has a problem.")
	w.accessible("acknowledge by mail")
	w.press("Acknowledge as Ada Owner")
	w.read("Ada Owner has been looking at this since")

	w.open(inChat)
	w.want(at("/login"))
	w.fill("email", rig.OwnersEmail, "password", rig.OwnersPassword)
	w.press("Sign in")
	w.read("Search", "This says that you look at it")
	w.press("Acknowledge")
	w.read("Ada Owner has been looking at this since", "Take back")
	w.accessible("acknowledged check-in")
	w.open(fmt.Sprintf("/projects/%d/check_ins", id))
	w.want(`[...document.querySelectorAll("tr[data-row]")].filter(row => row.innerText.includes("Ada Owner is looking at it")).length === 2`)
	w.lead(click(checkIn("Carts")))
	w.read("Ada Owner has been looking at this since")
}

// escalate has one channel of a project send on to another what no person acknowledges within a minute.
func (w *walker) escalate(project int64) {
	w.t.Helper()
	settings := fmt.Sprintf("/projects/%d/settings/channels", project)
	for name, events := range map[string][]string{firstChannel: {"check_in_failed", "check_in_reporting"}, secondChannel: {}} {
		w.s.Manage(w.t).Do(http.MethodPost, fmt.Sprintf("/v2/projects/%d/integrations", project), map[string]any{"integration": map[string]any{
			"type": "Mattermost", "events": events, "options": map[string]any{"url": w.chat.url + name, "label": "The " + name[1:]},
		}}, http.StatusCreated)
	}
	w.open(settings)
	w.lead(click(`//h2/a[contains(., "The first")]`))
	w.run(click(`//summary[contains(., "other options")]`), chromedp.SendKeys(chromedp.CSS(`select[name="escalation.channel_id"]`), "The second"))
	w.accessible("channel that escalates")
	w.run(chromedp.SetValue(chromedp.CSS(`input[name="escalation.minutes"]`), "1"))
	w.press("Save")
	w.read("to The second (Mattermost) after 1 minute without an acknowledgement", "Only what escalates from The first (Mattermost).")
}

// failJob makes a check-in, to which its job reports that it failed.
func (w *walker) failJob(project int64, name string) {
	w.t.Helper()
	var made struct{ URL string }
	body := w.s.Manage(w.t).Do(http.MethodPost, fmt.Sprintf("/v2/projects/%d/check_ins", project), map[string]any{"check_in": map[string]any{
		"name": name, "slug": strings.ToLower(name), "schedule_type": "simple", "report_period": "1 hour",
	}}, http.StatusCreated)
	if err := json.Unmarshal(body, &made); err != nil {
		w.t.Fatal(err)
	}
	status := rig.Send(http.DefaultClient, http.MethodPost, made.URL, `{"check_in": {"status": "error"}}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
	if status != http.StatusOK {
		w.t.Fatalf("the report of %s is answered with %d", name, status)
	}
}

// checkIn is the link to a check-in in a list.
func checkIn(name string) string {
	return fmt.Sprintf(`//tr[@data-row]//a[normalize-space()=%q]`, name)
}

// escalated finds what no person acknowledged in the second channel, and acknowledges it on its page.
func (w *walker) escalated() {
	if w.chat.all(firstChannel) == "" {
		w.t.Fatal("the story on call comes before this one")
	}
	w.chat.await(w.t, 3*patience, secondChannel, "Orders", "not acknowledged for 1 minute")
	if all := w.chat.all(secondChannel); strings.Contains(all, "Carts") || strings.Contains(all, "Search") {
		w.t.Errorf("the second channel got what was acknowledged: %s", all)
	}
	w.open("/projects")
	w.lead(click(fmt.Sprintf(`//main//a[normalize-space()=%q]`, onCallProject)))
	w.follow(`nav.side [data-go="c"]`)
	w.lead(click(checkIn("Orders")))
	w.press("Acknowledge")
	w.read("Acknowledged.", "Ada Owner has been looking at this since", "The check-in still has a problem.")
	w.press("Take back")
	w.read("Taken back.", "Says that you look at this check-in")
}
