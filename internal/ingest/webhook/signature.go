package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// mostSkew is how far the clock of a host may be off, for signatures that have a time.
const mostSkew = 5 * time.Minute

// digest returns the HMAC-SHA256 of some parts.
func digest(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// signedHex reports whether one of some headers is the signature of the body, in hexadecimal digits behind a prefix. An empty secret signs
// nothing: everyone knows it.
func signedHex(header http.Header, body []byte, secret, prefix string, names ...string) bool {
	said, ok := strings.CutPrefix(first(header, names...), prefix)
	if !ok || secret == "" {
		return false
	}
	mac, err := hex.DecodeString(said)
	return err == nil && hmac.Equal(mac, digest([]byte(secret), string(body)))
}

func signedByHub(header http.Header, body []byte, secret string, _ time.Time) bool {
	return signedHex(header, body, secret, "sha256=", "X-Hub-Signature-256")
}

func signedByBitbucket(header http.Header, body []byte, secret string, _ time.Time) bool {
	return signedHex(header, body, secret, "sha256=", "X-Hub-Signature", "X-Hub-Signature-256")
}

// signedByGitea takes the signature of Gitea and Forgejo, and that which both send for programs that know GitHub.
func signedByGitea(header http.Header, body []byte, secret string, now time.Time) bool {
	return signedHex(header, body, secret, "", "X-Gitea-Signature", "X-Forgejo-Signature") || signedByHub(header, body, secret, now)
}

// signedByGitLab takes the signature of a signing token, or the secret token itself, which GitLab sends as it is.
func signedByGitLab(header http.Header, body []byte, secret string, now time.Time) bool {
	if secret == "" {
		return false
	}
	if header.Get("Webhook-Signature") != "" && signedByStandard(header, body, secret, now) {
		return true
	}
	return sameSecret(header.Get("X-Gitlab-Token"), secret)
}

// sameSecret compares a secret with one that came as it is, in the same time for all. An empty one is none.
func sameSecret(came, secret string) bool {
	said, want := sha256.Sum256([]byte(came)), sha256.Sum256([]byte(secret))
	return secret != "" && subtle.ConstantTimeCompare(said[:], want[:]) == 1
}

// signedByStandard checks a signature of Standard Webhooks (standardwebhooks.com): of the id, the time and the body, with a key in base64.
func signedByStandard(header http.Header, body []byte, secret string, now time.Time) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	id, at := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > mostSkew {
		return false
	}
	want := digest(key, id, ".", at, ".", string(body))
	for said := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		value, ok := strings.CutPrefix(said, "v1,")
		if mac, err := base64.StdEncoding.DecodeString(value); ok && err == nil && hmac.Equal(mac, want) {
			return true
		}
	}
	return false
}

// payloadOf returns the JSON of a body. GitHub and Gitea may be set to send it as a field of a form.
func payloadOf(header http.Header, body []byte) ([]byte, error) {
	if kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return body, nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || form.Get("payload") == "" {
		return nil, sett.Errorf(sett.Malformed, "The delivery is a form without a field payload. Choose application/json as the content type of the webhook.")
	}
	return []byte(form.Get("payload")), nil
}
