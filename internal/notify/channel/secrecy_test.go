package channel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/sett/alerts"
	"sett/internal/setttest/nameserver"
)

// parts are what a server may repeat of a request.
func parts(r *http.Request) map[string]string {
	body, _ := io.ReadAll(r.Body)
	fields := slices.DeleteFunc(strings.Split(string(body), "&"), func(field string) bool { return len(field) > 60 })
	return map[string]string{
		"path": r.URL.Path, "address": r.RequestURI, "query": r.URL.Query().Get("key"), "login": r.Header.Get("Authorization"), "token": r.Header.Get("Honeybadger-Token"),
		"body": string(body[:min(len(body), 150)]), "end": string(body[max(len(body)-150, 0):]), "fields": strings.Join(fields, " "),
	}
}

// echo answers with a part of what it was sent, after so many other characters.
func echo(code, before int, part string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		said := strings.Repeat("x", before) + " " + parts(r)[part]
		text, _ := json.Marshal(said)
		escaped := strings.ReplaceAll(string(text), "/", `\/`)
		w.WriteHeader(code)
		if code != 200 && before%32 == 0 {
			_, _ = io.WriteString(w, said)
			return
		}
		_, _ = fmt.Fprintf(w, `{"error":%s,"ok":false,"result":"error","description":%[1]s,"msg":%[1]s,"errors":[%[1]s]}`, escaped)
	}
}

// garbage answers with all that it was sent where the first line of an answer belongs.
func garbage(w http.ResponseWriter, r *http.Request) {
	said := r.RequestURI + " " + r.URL.Path
	for _, values := range r.Header {
		said += " " + strings.Join(values, " ")
	}
	_, _ = io.Copy(io.Discard, r.Body)
	hijack(w, said+"\r\n\r\n", false)
}

// No failure has a secret of its channel in it, not even when the other side repeats what it was sent.
func TestFailuresKeepSecrets(t *testing.T) {
	t.Parallel()
	servers := map[string]http.Handler{"garbage": http.HandlerFunc(garbage)}
	for _, code := range []int{200, 400, 500} {
		for _, part := range []string{"path", "address", "query", "login", "token", "body", "end", "fields"} {
			for _, before := range []int{0, 16, 144, 160, 176} {
				servers[fmt.Sprintf("%s echoed with %d after %d", part, code, before)] = echo(code, before, part)
			}
		}
	}
	for name, handler := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			for _, c := range triedKinds(server.URL) {
				_, err := c.sender(server.URL, anywhere(time.Minute)).Send(t.Context(), samples()["occurred"])
				checkSecretsKept(t, c, err)
				if c.Tracker {
					_, err = send(t, c, server.URL, asks(c.Type, alerts.AlertIssueClose, true))
					checkSecretsKept(t, c, err)
				}
			}
		})
	}
}

// checkSecretsKept looks for any secret, and for how all of them begin, so that no part of one is there either.
func checkSecretsKept(t *testing.T, c tried, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), "s3cr3t") || c.masked(err.Error()) != err.Error()) {
		t.Errorf("%s: %q has a secret in it", c.name, err)
	}
}

func TestRefusedConnectionsKeepSecrets(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	unknown := nameserver.Resolver(func(string) nameserver.Answer { return nameserver.Answer{} })
	client := dial.New(dial.Anywhere(), dial.WithResolver(unknown)).Client(time.Minute)
	for _, address := range []string{server.URL, "http://unknown.invalid", "http://[::1", "http://us3r:s3cr3tpassword@127.0.0.1:1"} {
		for _, c := range triedKinds(address) {
			_, err := c.sender(address, client).Send(t.Context(), samples()["occurred"])
			if err == nil {
				t.Errorf("%s: %s took a message", c.name, address)
				continue
			}
			checkSecretsKept(t, c, err)
			if strings.Contains(err.Error(), "us3r") {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// What is shown of an integration has no secret in it, and sent back as it is, it changes nothing.
func TestShownOptionsKeepSecrets(t *testing.T) {
	t.Parallel()
	for _, c := range triedKinds("https://us3r:pa%2Fss@server.test:8443") {
		stored := map[string]any{"label": "ours"}
		for name, value := range c.values {
			stored[name] = value
		}
		shown := c.Show(stored)
		text, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range append([]string{"us3r", "pa%2Fss"}, c.secrets...) {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s: %s shows %s", c.name, text, secret)
			}
		}
		checkApply(t, c.Kind, stored, shown, stored, nil)
	}
}

// loose is a sender that says all that it knows.
type loose struct{ values Values }

func (s loose) Send(context.Context, Message) (Receipt, error) {
	return Receipt{}, failure(true, fmt.Sprint(s.values))
}

// A kind that forgets to keep its secrets is made to.
func TestDiscreetKinds(t *testing.T) {
	t.Parallel()
	k := pigeon()
	k.Make = func(_ Tools, v Values) Sender { return loose{v} }
	values := Values{"loft": "north", "key": "k3y/1", "hook": "https://h.test/s3cr3tpath?x=s3cr3tquery", "url": "http://us3r:pa55@u.test", "seal": "abc"}
	_, err := k.discreet().Make(Tools{}, values).Send(t.Context(), Message{})
	if want := "map[hook:*** key:*** loft:north seal:abc url:http://***:***@u.test]"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
