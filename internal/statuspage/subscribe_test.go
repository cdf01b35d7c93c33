package statuspage

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// asked returns the token of the next mail that asks for a confirmation, or "".
func (s *scene) asked() string {
	s.t.Helper()
	m, ok, err := s.Store.ClaimMail(s.t.Context(), s.now, time.Hour)
	switch {
	case err != nil:
		s.t.Fatal(err)
	case !ok:
		return ""
	}
	if err := s.Store.DropMail(s.t.Context(), m.ID); err != nil {
		s.t.Fatal(err)
	}
	return m.Fields["token"]
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
		s.post(root+"/subscribe", "email=ann", http.StatusUnprocessableEntity, "This is no email address", `value="ann"`)
		first := s.post(root+"/subscribe", "email=ann@example.test", http.StatusOK, "Look into your mail")
		token := s.asked()
		link := root + "/subscribers/" + token
		for range 2 { // looking changes nothing
			s.get(link, http.StatusOK, "News on this page will be sent to ann@example.test.", `action="`+link+`"`)
		}
		s.get("/status/"+other+"/subscribers/"+token, http.StatusNotFound, "This link does not work")
		s.post("/status/"+other+"/subscribers/"+token, "", http.StatusNotFound, "This link does not work")
		s.post(link, "", http.StatusOK, "You are subscribed", link+"/unsubscribe")
		s.get(link, http.StatusOK, "You are subscribed")
		if again := s.post(root+"/subscribe", "email=ann@example.test", http.StatusOK); again != first || s.asked() != "" {
			t.Error("the answer, or a mail, tells that the address is known")
		}
		s.get(link+"/unsubscribe", http.StatusOK, `action="`+link+`/unsubscribe"`)
		s.get(link, http.StatusOK, "You are subscribed")
		// As mail programs do, from anywhere.
		w := ask(t, s.mux, "POST", link+"/unsubscribe", "List-Unsubscribe=One-Click", "Origin", "https://mail.example.test", "Sec-Fetch-Site", "cross-site")
		want(t, w, http.StatusOK, "You are unsubscribed")
		s.get(link, http.StatusNotFound, "This link does not work")
		s.get(link+"/unsubscribe", http.StatusOK, "You are unsubscribed")
		s.post(link+"/unsubscribe", "", http.StatusOK, "You are unsubscribed")
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
			t.Error("somebody was asked")
		}
	})
}

// Whoever does not know the password of a page is not told what it tells.
func TestSubscribingTakesThePassword(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		id, slug := s.add("Acme")
		s.change(id, sett.StatusPageChange{Password: sett.Some("open sesame"), PasswordHash: "hash of open sesame"})
		s.round()
		s.get("/status/"+slug+"/subscribe", http.StatusUnauthorized, "This page has a password")
		s.post("/status/"+slug+"/subscribe", "email=ann@example.test", http.StatusUnauthorized, "This page has a password")
		if s.asked() != "" {
			t.Error("somebody was asked")
		}
	})
}

func TestNobodySubscribesWhileMailIsOff(t *testing.T) {
	t.Parallel()
	p := newPages(t, func(o *Options) { o.Mail = false })
	show(t, p, fullView())
	h := mux(p)
	if w := ask(t, h, "POST", "/status/acme/subscribe", "email=ann@example.test"); w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
		t.Errorf("status %d", w.Code)
	}
	if body := ask(t, h, "GET", "/status/acme", "").Body.String(); strings.Contains(body, "/subscribe\"") {
		t.Error("the form is offered")
	}
}
