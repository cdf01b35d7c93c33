package kill

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
	"sett/internal/setttest/mailserver"
)

// TestStatusUpdatesSurviveKills kills the server over and over, at every step of the way of an update to the subscribers of a
// status page: after it was accepted, while notices are made, claimed, sent and recorded. Every subscriber must get all
// that was accepted, in order, and what is sent twice must have the same id.
func TestStatusUpdatesSurviveKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": rig.DurablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			killStatusUpdates(t, database)
		})
	}
}

// readers are what subscribers of a status page received, by their names, and how they confirm.
type readers struct {
	hooks *httptest.Server // on this machine, where no subscriber may be
	mails *mailserver.Server

	inside   atomic.Int64 // requests to hooks
	mu       sync.Mutex
	refused  map[string]bool             // who has refused something, which each does at most once
	confirm  map[string]string           // where each confirms
	received map[string][]receivedUpdate // all that came, in the order in which it came
	deadly   chan struct{}               // gets a value by chance when something arrives; nil: never
	change   chan struct{}               // closed with every change
}

// receivedUpdate is an update that came.
type receivedUpdate struct {
	id     string // webhook-id or Message-ID
	serial int    // of the update
}

var serialIn = regexp.MustCompile(`News (\d+)\.`)

func openReaders(t *testing.T) *readers {
	r := &readers{refused: map[string]bool{}, confirm: map[string]string{}, received: map[string][]receivedUpdate{}, change: make(chan struct{})}
	r.hooks = httptest.NewServer(http.HandlerFunc(r.takeHook))
	t.Cleanup(r.hooks.Close)
	r.mails = mailserver.Start(t, mailserver.Options{
		NoTLS: true,
		Answer: func(to string) error {
			if r.refuses(to) {
				return mailserver.Refuse(451, "not now")
			}
			return nil
		},
		Taken: func(m mailserver.Mail) {
			text := strings.ReplaceAll(string(m.Raw), "=\r\n", "") // lines that quoted-printable has broken
			r.take(m.To, m.Header.Get("Message-ID"), text, rig.SubscriberLink.FindString(text))
		},
	})
	return r
}

// takeHook takes what must not come: this machine is no public address, and what strangers name has to be one.
func (r *readers) takeHook(http.ResponseWriter, *http.Request) { r.inside.Add(1) }

// refuses reports whether what comes for a subscriber is to be refused.
func (r *readers) refuses(who string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.confirm[who] == "" || r.refused[who] || rand.IntN(5) != 0 {
		return false
	}
	r.refused[who] = true
	return true
}

// take notes what came to a subscriber: where to confirm, or an update.
func (r *readers) take(who, id, text, link string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if serial := serialIn.FindStringSubmatch(text); serial != nil {
		n, _ := strconv.Atoi(serial[1])
		r.received[who] = append(r.received[who], receivedUpdate{id, n})
	} else {
		r.confirm[who] = link
	}
	if rand.IntN(40) == 0 {
		select {
		case r.deadly <- struct{}{}:
		default:
		}
	}
	close(r.change)
	r.change = make(chan struct{})
}

// await returns once what came holds. Longer than nothing comes, nothing waits after the few tries that a story has.
func (r *readers) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for {
		r.mu.Lock()
		done, change := holds(), r.change
		r.mu.Unlock()
		if done {
			return
		}
		select {
		case <-change:
		case <-time.After(4 * time.Minute):
			t.Fatalf("nothing came in four minutes, and the subscribers did not get %s", what)
		}
	}
}

// missing returns how many of the promised updates did not come, over all subscribers.
func (r *readers) missing(promised []int) (missing int) {
	for who := range r.confirm {
		have := map[int]bool{}
		for _, update := range r.received[who] {
			have[update.serial] = true
		}
		for _, serial := range promised {
			if !have[serial] {
				missing++
			}
		}
	}
	return missing
}

// prove checks that each subscriber got the updates in order, and repeats with the same id. It returns how many came twice.
func (r *readers) prove(t *testing.T) (repeated int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var wrong load.Problems
	for who, all := range r.received {
		ids, last := map[int]string{}, 0
		for _, update := range all {
			before, known := ids[update.serial]
			switch {
			case known && before != update.id:
				wrong.Add("%s was sent %d as %s and as %s", who, update.serial, before, update.id)
			case known:
				repeated++
			case update.serial < last:
				wrong.Add("%s was sent %d after %d", who, update.serial, last)
			}
			ids[update.serial], last = update.id, max(last, update.serial)
		}
	}
	wrong.Report(t)
	return repeated
}

// subscribe makes subscribers of a page who have confirmed.
func (r *readers) subscribe(t *testing.T, s *rig.Server, slug string, each int) {
	t.Helper()
	form := func(from int, address string, values url.Values) {
		t.Helper()
		request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(values.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("X-Forwarded-For", fmt.Sprint("198.51.100.", from)) // what one address may post is limited
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d", address, answer.StatusCode)
		}
	}
	for n := range each {
		form(n, s.Base+"/status/"+slug+"/subscribe", url.Values{"url": {fmt.Sprint(r.hooks.URL, "/hook", n)}})
		form(n, s.Base+"/status/"+slug+"/subscribe", url.Values{"email": {fmt.Sprint("mail", n, "@example.test")}})
		form(n, s.Base+"/status/"+slug+"/subscribe", url.Values{"email": {fmt.Sprint("letter", n, "@example.test")}})
	}
	r.await(t, "what asks them to confirm", func() bool { return len(r.confirm) == 2*each })
	from := each
	for _, link := range r.confirm {
		from++
		at, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		form(from, s.Base+at.Path, nil)
	}
}

func killStatusUpdates(t *testing.T, database string) {
	s, r := rig.Prepare(t, database), openReaders(t)
	s.Flags = append(s.Flags, "--location", "none", "--egress-allow", "127.0.0.0/8", "--trusted-proxies", "127.0.0.1", "--smtp-url", "smtp://"+r.mails.Addr+"?tls=none")
	s.Restart(t)
	pages := "/v2/accounts/" + s.AccountID + "/status_pages"
	var page struct{ ID string }
	body := s.Manage(t).Do(http.MethodPost, pages, map[string]any{"status_page": map[string]any{"name": "Acme", "slug": "acme"}}, http.StatusCreated)
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	awaitPage(t, s.Base+"/status/acme")
	r.subscribe(t, s, "acme", 4)
	news := &load.StatusNews{S: s, Path: pages + "/" + page.ID + "/incidents", Web: &http.Client{Timeout: 10 * time.Second}, Pause: 40 * time.Millisecond}
	n := max(load.Kills(t)/6, 1)
	for range n {
		deadly := make(chan struct{}, 1)
		r.mu.Lock()
		r.deadly = deadly
		r.mu.Unlock()
		end := news.Begin(s.Base)
		select {
		case <-deadly:
		case <-time.After(time.Second + rand.N(time.Second)):
		}
		s.Kill()
		end()
		s.Restart(t)
	}
	news.Begin(s.Base)()
	r.await(t, "all that was accepted", func() bool { return r.missing(news.Promised) == 0 })
	s.Stop(t)
	if n := r.inside.Load(); n > 0 {
		t.Errorf("%d requests reached a webhook on this machine that a stranger has named", n)
	}
	repeated := r.prove(t)
	t.Logf("%d kills: %d updates promised to %d subscribers each, %d came more than once", n, len(news.Promised), len(r.confirm), repeated)
}

// awaitPage returns once a page is served.
func awaitPage(t *testing.T, address string) {
	t.Helper()
	for t.Context().Err() == nil {
		if answer, err := http.Get(address); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
	}
}
