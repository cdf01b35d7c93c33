package sett

import (
	"encoding/base64"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// SecretMask stands in place of a secret that is not shown. Where it is sent back, the secret stays as it is.
const SecretMask = "********"

// shortestCredential is how long a text is at least that is looked for in evidence, in bytes: a shorter one would be found
// in the middle of words.
const shortestCredential = 4

// isSecretHeader reports whether the value of a header lets others in.
func isSecretHeader(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	if name == "www_authenticate" || name == "proxy_authenticate" { // they ask for credentials and have none
		return false
	}
	return slices.ContainsFunc([]string{
		"auth", "cookie", "token", "secret", "passw", "passphrase", "key", "credential", "signature", "session", "jwt", "csrf", "xsrf",
	}, func(part string) bool { return strings.Contains(name, part) })
}

// ShownHeaders returns the headers of a response as evidence has them: without cookies, and of what else may be a credential
// the name alone.
func ShownHeaders(headers map[string]string) map[string]string {
	shown := maps.Clone(headers)
	for name, value := range shown {
		switch {
		case strings.Contains(strings.ToLower(name), "cookie"):
			delete(shown, name)
		case isSecretHeader(name):
			shown[name] = SecretMask
		case strings.Contains(value, "://"):
			shown[name] = ShownAddress(value)
		}
	}
	return shown
}

// credentialsInText are credentials under their names, as pages write them that show a request or a session.
var credentialsInText = regexp.MustCompile(`(?i)\b((?:set-|http_)?cookie2?|(?:proxy-|http_)?authorization|x-api-key|x-auth-token|` +
	`(?:access|refresh|id|auth|session|csrf|api)[_-]?token|client_secret|api[_-]?key|secret|passw(?:or)?d|sessionid|session_id)` +
	`(\\?["']?\]?\s*(?:=>|[:=])\s*\[?\\?["']?)([^\r\n"'<>\\]+)`)

// ShownPage returns the beginning of a page as evidence has it: without what looks like credentials.
func ShownPage(page []byte) []byte {
	return credentialsInText.ReplaceAll(page, []byte("${1}${2}"+SecretMask))
}

// ShownAddress returns an address with SecretMask in place of its user and password, and of secrets among its parameters.
func ShownAddress(address string) string { return maskAddressWith(address, SecretMask) }

// WithoutCredentials returns the result without what the check itself was let in with, which some sites repeat, without the
// cookies of the response, and without what else may be a credential.
func (r ProbeRequest) WithoutCredentials(result ProbeResult, cookies ...string) ProbeResult {
	hide := r.hider(cookies)
	result.Headers = ShownHeaders(result.Headers)
	for name, value := range result.Headers {
		result.Headers[name] = hide.Replace(value)
	}
	if result.Body != nil {
		result.Body = ShownPage([]byte(hide.Replace(string(result.Body))))
	}
	result.Reason = hide.Replace(result.Reason)
	return result
}

// hider replaces the credentials of a check, in all forms in which they are likely to be repeated.
func (r ProbeRequest) hider(more []string) *strings.Replacer {
	var pairs []string
	for _, secret := range append(r.credentials(), more...) {
		if len(secret) < shortestCredential {
			continue
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(secret, "/", `\/`)} {
			pairs = append(pairs, form, SecretMask)
		}
	}
	return strings.NewReplacer(pairs...)
}

// credentials are the texts that let the check in, the longest first.
func (r ProbeRequest) credentials() (all []string) {
	if u, err := url.Parse(r.URL); err == nil {
		password, _ := u.User.Password()
		if u.User != nil {
			all = append(all, base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)), password)
		}
		for name, values := range u.Query() {
			if isSecret(name) {
				all = append(all, values...)
			}
		}
	}
	for _, h := range r.Headers {
		if isSecretHeader(h.Key) {
			_, bare, _ := strings.Cut(h.Value, " ")
			all = append(all, h.Value, bare)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // Replacer takes the first that fits
	return all
}
