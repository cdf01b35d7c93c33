package channel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"sett/internal/sett/alerts"
)

func webHook() Kind {
	return Kind{
		Type: "WebHook", Name: "Webhook",
		About: "Sends every event as signed JSON to your own URL (standardwebhooks.com).",
		Options: []Option{
			{Name: "url", Label: "Address", About: "URL that receives a POST request for each event.", Form: Address, Required: true},
			{
				Name: "token", Label: "Token", About: "Sent in the header Honeybadger-Token, so that you can verify the sender.",
				Form: Text, Required: true, Secret: true, Generate: func() string { return strings.TrimPrefix(alerts.NewSigningSecret(), alerts.SigningPrefix) },
			},
			{Name: "authorization", Label: "Bearer token", About: "Sent as a Bearer token in the header Authorization.", Form: Text, Secret: true},
			{
				Name: "secret", Label: "Signing secret", About: "Signs each message with HMAC-SHA256, as Standard Webhooks specifies. Starts with whsec_.",
				Form: Text, Secret: true, Generate: alerts.NewSigningSecret,
			},
			{
				Name: "payload_version", Label: "Payload version", Form: Choice, Choices: []string{"v2", payloadV3}, Default: "v2",
				About: "Form of the JSON. v3 has ids as strings, and objects as the API /v3 has them.",
			},
			{Name: "old_secret", Label: "Old signing secret", About: "Also signs each message, while you change to a new secret.", Form: Text, Secret: true, Step: Later},
		},
		Make: func(t Tools, v Values) Sender { return webHookSender{t, v} },
	}
}

// payloadV3 is the value of payload_version that chooses version 3.
const payloadV3 = "v3"

// WantsV3 reports whether a channel is sent payloads of version 3: a webhook that was set to.
func WantsV3(kind string, options map[string]any) bool {
	return kind == "WebHook" && options["payload_version"] == payloadV3
}

type webHookSender struct {
	Tools
	values Values
}

func (s webHookSender) Send(ctx context.Context, m Message) (Receipt, error) {
	header := http.Header{}
	if token, wanted := s.values["token"]; wanted {
		header.Set("Honeybadger-Token", token)
	}
	if bearer := s.values["authorization"]; bearer != "" {
		header.Set("Authorization", "Bearer "+bearer)
	}
	at := fmt.Sprint(s.now().Unix())
	header.Set("webhook-id", m.ID)
	header.Set("webhook-timestamp", at)
	var signatures []string
	for _, name := range []string{"secret", "old_secret"} {
		if secret := s.values[name]; secret != "" {
			signatures = append(signatures, "v1,"+sign(secret, m.ID+"."+at+"."+string(m.Body)))
		}
	}
	if len(signatures) > 0 {
		header.Set("webhook-signature", strings.Join(signatures, " "))
	}
	a, err := s.exchange(ctx, http.MethodPost, s.values["url"], header, "application/json", m.Body)
	return Receipt{Status: a.status}, err
}

// sign returns the HMAC-SHA256 of a text. A secret that is not base64 after its prefix is the key as it stands.
func sign(secret, text string) string {
	plain, marked := strings.CutPrefix(secret, alerts.SigningPrefix)
	key, err := base64.StdEncoding.DecodeString(plain)
	if !marked || err != nil {
		key = []byte(secret)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
