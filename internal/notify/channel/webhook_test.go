package channel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/alerts"
)

// verify checks a signature as standardwebhooks.com specifies for receivers.
func verify(secret string, header http.Header, body string) bool {
	key, err := base64.StdEncoding.DecodeString(secret[len("whsec_"):])
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("Webhook-Id") + "." + header.Get("Webhook-Timestamp") + "." + body))
	for version := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		said, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(version, "v1,"))
		if err == nil && strings.HasPrefix(version, "v1,") && hmac.Equal(said, mac.Sum(nil)) {
			return true
		}
	}
	return false
}

// hook sends a message by a webhook with these options, and returns what arrived.
func hook(t *testing.T, options Values, m Message) seen {
	t.Helper()
	r := startRecorder(t)
	values := Values{"url": r.URL + "/hook?x=1", "token": "tok"}
	for name, value := range options {
		values[name] = value
	}
	tools := Tools{HTTP: anywhere(time.Minute), Agent: "sett/test", Now: func() time.Time { return noon }}
	k, _ := Find("WebHook")
	if _, err := k.Make(tools, values).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return r.take()[0]
}

func TestWebhookSignatures(t *testing.T) {
	t.Parallel()
	secret, old, other := alerts.NewSigningSecret(), alerts.NewSigningSecret(), alerts.NewSigningSecret()
	m := samples()["occurred"]
	m.Body = json.RawMessage(`{"message":"a & <b> ü","n":1.0}`)
	for name, c := range map[string]struct {
		options    Values
		signatures int
		takes      []string
	}{
		"none":           {Values{}, 0, nil},
		"one":            {Values{"secret": secret}, 1, []string{secret}},
		"two":            {Values{"secret": secret, "old_secret": old}, 2, []string{secret, old}},
		"the old alone":  {Values{"old_secret": old}, 1, []string{old}},
		"no base64":      {Values{"secret": "whsec_?"}, 1, nil},
		"without prefix": {Values{"secret": secret[len("whsec_"):]}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := hook(t, c.options, m)
			if n := len(strings.Fields(got.header.Get("Webhook-Signature"))); n != c.signatures {
				t.Errorf("%d signatures, want %d", n, c.signatures)
			}
			for _, s := range c.takes {
				if !verify(s, got.header, got.body) {
					t.Error("a signature is wrong")
				}
			}
			if c.signatures > 0 && verify(other, got.header, got.body) {
				t.Error("a signature of another secret is taken")
			}
			if got.body != string(m.Body) || got.header.Get("Webhook-Id") != m.ID || got.header.Get("Webhook-Timestamp") != "1795003200" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// The example of the specification: its library makes this signature of this secret, id, time and body
// (github.com/standard-webhooks/standard-webhooks, libraries' tests).
func TestWebhookSignatureOfTheSpecification(t *testing.T) {
	t.Parallel()
	got := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}`)
	if want := "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWebhookTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		options       Values
		token, bearer string
	}{
		{Values{}, "tok", ""},
		{Values{"authorization": "b"}, "tok", "Bearer b"},
		{Values{"token": ""}, "", ""},
	} {
		got := hook(t, c.options, samples()["up"])
		token, there := got.header["Honeybadger-Token"]
		if !there || token[0] != c.token || got.header.Get("Authorization") != c.bearer || got.uri != "/hook?x=1" || got.method != http.MethodPost {
			t.Errorf("%+v", got)
		}
	}
}
