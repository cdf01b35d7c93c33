package channel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/dial"
	"sett/internal/setttest/nameserver"
)

// echo answers with all that it was sent, after so many other characters.
func echo(code, before int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said := strings.Repeat("x", before) + fmt.Sprintf(" %s %s %s ", r.RequestURI, r.URL.Path, body)
		for name, values := range r.Header {
			said += name + ": " + strings.Join(values, " ") + " "
		}
		text, _ := json.Marshal(said)
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"ok":false,"result":"error","error":%s,"description":%[1]s,"msg":%[1]s,"errors":[%[1]s]} %s`, text, said)
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
	for _, code := range []int{200, 302, 400, 410, 429, 500} {
		for before := range 12 {
			servers[fmt.Sprintf("echo of %d after %d", code, 16*before)] = echo(code, 16*before)
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
	nobody := nameserver.Resolver(func(string) nameserver.Answer { return nameserver.Answer{} })
	client := dial.New(dial.Anywhere(), dial.WithResolver(nobody)).Client(time.Minute)
	for _, address := range []string{server.URL, "http://nobody.invalid", "http://[::1", "http://us3r:s3cr3tpassword@127.0.0.1:1"} {
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
