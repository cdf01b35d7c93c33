package statuspage

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/status"
	"sett/internal/store/outbox"
)

// asked returns the token of the next mail that asks for a confirmation, or "".
func (s *scene) asked() string {
	s.t.Helper()
	mails, err := s.Outbox.ClaimMails(s.t.Context(), s.now, time.Hour, 1, func(alerts.MailKind) int { return 1 })
	switch {
	case err != nil:
		s.t.Fatal(err)
	case len(mails) == 0:
		return ""
	}
	if err := s.Outbox.RecordMails(s.t.Context(), []outbox.MailResult{{Mail: mails[0]}}); err != nil {
		s.t.Fatal(err)
	}
	return mails[0].Fields["token"]
}

func (s *scene) post(path, body string, status int, texts ...string) string {
	s.t.Helper()
	return want(s.t, ask(s.t, s.mux, "POST", path, body, "Accept", "text/html"), status, texts...).Body.String()
}

func TestSubscribing(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		_, slug := s.add("Acme")
		_, other := s.add("Other")
		s.round()
		root := "/status/" + slug
		s.get(root+"/subscribe", http.StatusOK, `action="`+root+`/subscribe"`)
		s.post(root+"/subscribe", "email=ann", http.StatusUnprocessableEntity, "Enter a valid email address", `value="ann"`)
		first := s.post(root+"/subscribe", "email=ann@example.test", http.StatusOK, "Check your inbox")
		token := s.asked()
		link := root + "/subscribers/" + token
		for range 2 { // looking changes nothing
			s.get(link, http.StatusOK, "Updates from this page will be sent to ann@example.test.", `action="`+link+`"`)
		}
		s.get("/status/"+other+"/subscribers/"+token, http.StatusOK, `action="`+link+`"`) // it leads to its own page
		s.get(root+"/subscribers/made-up", http.StatusNotFound, "This link does not work")
		s.post(root+"/subscribers/made-up", "", http.StatusNotFound, "This link does not work")
		s.post(link, "", http.StatusOK, "You are subscribed", link+"/unsubscribe")
		s.get(link, http.StatusOK, "You are subscribed")
		if again := s.post(root+"/subscribe", "email=ann@example.test", http.StatusOK); again != first || s.asked() != "" {
			t.Error("the answer, or a mail, reveals that the address is known")
		}
		s.get(link+"/unsubscribe", http.StatusOK, `action="`+link+`/unsubscribe"`)
		s.get(link, http.StatusOK, "You are subscribed")
		// As mail programs do, from anywhere.
		w := ask(t, s.mux, "POST", link+"/unsubscribe", "List-Unsubscribe=One-Click", "Origin", "https://mail.example.test", "Sec-Fetch-Site", "cross-site")
		want(t, w, http.StatusOK, "You have unsubscribed")
		s.get(link, http.StatusNotFound, "This link does not work")
		s.get(link+"/unsubscribe", http.StatusOK, "You have unsubscribed")
		s.post(link+"/unsubscribe", "", http.StatusOK, "You have unsubscribed")
	})
}

// Mails that were sent have the address that the page had then. Their links work when the page has another one, also where another page is now.
func TestLinksOfMailsOutliveTheAddress(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		id, slug := s.add("Acme")
		s.round()
		subscribed := func(address string) string {
			s.post("/status/"+slug+"/subscribe", "email="+address, http.StatusOK)
			return "/subscribers/" + s.asked()
		}
		first, second := subscribed("ann@example.test"), subscribed("ben@example.test")
		s.post("/status/"+slug+second, "", http.StatusOK)
		s.change(id, status.StatusPageChange{Slug: sett.Some("store")})
		s.round()
		s.get("/status/"+slug, http.StatusNotFound)
		s.get("/status/"+slug+first, http.StatusOK, `action="/status/store`+first+`"`)
		s.post("/status/"+slug+first, "", http.StatusOK, "You are subscribed")
		s.get("/status/"+slug+second+"/unsubscribe", http.StatusOK, "ben@example.test", `action="/status/store`+second+`/unsubscribe"`)
		s.post("/status/"+slug+second+"/unsubscribe", "", http.StatusOK, "You have unsubscribed")
		s.get("/status/store"+second, http.StatusNotFound)
		s.get("/status/"+slug+"/subscribers/made-up/unsubscribe", http.StatusNotFound)

		if _, taken := s.add("Acme"); taken != slug {
			t.Fatalf("the other page is at %s", taken)
		}
		s.round()
		s.get("/status/"+slug+first, http.StatusOK, "You are subscribed", "ann@example.test")
		s.get("/status/"+slug+first+"/unsubscribe", http.StatusOK, "ann@example.test")
		s.post("/status/"+slug+first+"/unsubscribe", "", http.StatusOK, "You have unsubscribed")
		s.get("/status/store"+first, http.StatusNotFound)
	})
}

func TestSubscribingFromElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		_, slug := s.add("Acme")
		s.round()
		w := ask(t, s.mux, "POST", "/status/"+slug+"/subscribe", "email=ann@example.test", "Sec-Fetch-Site", "cross-site", "Accept", "text/html")
		want(t, w, http.StatusForbidden, "This form was sent from another site")
		for range postBurst {
			ask(t, s.mux, "POST", "/status/"+slug+"/subscribe", "email=x")
		}
		s.post("/status/"+slug+"/subscribe", "email=x", http.StatusTooManyRequests)
		if s.asked() != "" {
			t.Error("a mail was sent")
		}
	})
}

// However many addresses strangers have, they cannot fill a page at once.
func TestAPageTakesSoManySubscribersAtOnce(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		_, slug := s.add("Acme")
		_, other := s.add("Other")
		s.round()
		ask := func(slug string, n int) int {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/status/"+slug+"/subscribe", strings.NewReader("email=x"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.RemoteAddr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, byte(n >> 8), byte(n)}), 1).String()
			w := httptest.NewRecorder()
			s.mux.ServeHTTP(w, r)
			return w.Code
		}
		for n := range subscribeBurst {
			if got := ask(slug, n); got != http.StatusUnprocessableEntity {
				t.Fatalf("%d: status %d", n, got)
			}
		}
		if got := ask(slug, subscribeBurst); got != http.StatusTooManyRequests {
			t.Errorf("one more: status %d", got)
		}
		if got := ask(other, subscribeBurst); got != http.StatusUnprocessableEntity {
			t.Errorf("another page: status %d", got)
		}
	})
}

// Without the password of a page, nothing of it is shown.
func TestSubscribingTakesThePassword(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		id, slug := s.add("Acme")
		s.change(id, status.StatusPageChange{Password: sett.Some("open sesame"), PasswordHash: "hash of open sesame"})
		s.round()
		s.get("/status/"+slug+"/subscribe", http.StatusUnauthorized, "This page is protected by a password")
		s.post("/status/"+slug+"/subscribe", "email=ann@example.test", http.StatusUnauthorized, "This page is protected by a password")
		if s.asked() != "" {
			t.Error("a mail was sent")
		}
	})
}

func TestNoSubscriptionsByMailWhileItIsOff(t *testing.T) {
	t.Parallel()
	p := newPages(t, func(o *Options) { o.Mail = false })
	show(t, p, fullView())
	h := mux(p)
	want(t, ask(t, h, "POST", "/status/acme/subscribe", "email=ann@example.test"), http.StatusNotFound, "This server does not send email")
	for _, path := range []string{"/status/acme", "/status/acme/subscribe"} {
		if body := ask(t, h, "GET", path, "").Body.String(); strings.Contains(body, `name="email"`) || !strings.Contains(body, "ebhook") {
			t.Errorf("%s offers mail, or no webhook:\n%s", path, body)
		}
	}
}

// secretOf is the secret that a page shows.
var secretOf = regexp.MustCompile(`<code>(whsec_[A-Za-z0-9+/&#;]+=*)</code>`)

// asksHook returns the subscriber of the pending confirmation request to a webhook, if any.
func (s *scene) asksHook() (found status.StatusSubscriber) {
	s.t.Helper()
	claimed, err := s.Status.ClaimStatusNotices(s.t.Context(), s.now, time.Hour, 10, func(string) int { return 10 })
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range claimed {
		found = c.Subscriber
	}
	return found
}

func TestSubscribingByWebHook(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		_, slug := s.add("Acme")
		s.round()
		root := "/status/" + slug
		s.get(root, http.StatusOK, `href="`+root+`/subscribe#webhook"`)
		s.get(root+"/subscribe", http.StatusOK, `name="url"`, `name="email"`)
		for _, bad := range []string{"", "hook", "ftp%3A%2F%2Fhook.example.test", "https%3A%2F%2Fann%3Ahush%40hook.example.test"} {
			s.post(root+"/subscribe", "url="+bad, http.StatusUnprocessableEntity, "Enter a valid webhook URL")
		}
		body := "url=https%3A%2F%2Fhook.example.test%2Fin%3Fkey%3Dhush"
		first := s.post(root+"/subscribe", body, http.StatusOK, "Save the secret and confirm")
		asked := s.asksHook()
		shown := secretOf.FindStringSubmatch(first)
		if shown == nil || html.UnescapeString(shown[1]) != asked.Secret || asked.Address != "https://hook.example.test/in?key=hush" {
			t.Fatalf("%q is shown of %+v", shown, asked)
		}
		again := s.post(root+"/subscribe", body, http.StatusOK)
		if other := secretOf.FindStringSubmatch(again); other == nil || other[1] == shown[1] || secretOf.ReplaceAllString(again, "") != secretOf.ReplaceAllString(first, "") {
			t.Error("the answer reveals that the address is known, or shows its secret once more")
		}
		if once := s.asksHook(); once.ID != 0 {
			t.Errorf("%+v is asked again", once)
		}
		link := root + "/subscribers/" + asked.Token
		if page := s.get(link, http.StatusOK, "https://hook.example.test/in?…", `action="`+link+`"`); strings.Contains(page, "hush") || strings.Contains(page, "whsec_") {
			t.Errorf("the page contains secrets:\n%s", page)
		}
		s.post(link, "", http.StatusOK, "You are subscribed")
		s.post(link+"/unsubscribe", "", http.StatusOK, "You have unsubscribed")
		s.get(link, http.StatusNotFound, "This link does not work")
	})
}
