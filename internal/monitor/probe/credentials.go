package probe

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// shortestCredential is how long a text is at least that is looked for in evidence, in bytes: a shorter one would be found
// in the middle of words.
const shortestCredential = 4

// withoutCredentials returns the result without what the check itself was let in with, which some sites repeat, without the
// cookies of the response, and without what else may be a credential.
func withoutCredentials(r checks.ProbeRequest, result checks.ProbeResult, cookies ...string) checks.ProbeResult {
	hide := hider(r, cookies)
	result.Headers = checks.ShownHeaders(result.Headers)
	for name, value := range result.Headers {
		result.Headers[name] = hide.Replace(value)
	}
	if result.Body != nil {
		result.Body = checks.ShownPage([]byte(hide.Replace(string(result.Body))))
	}
	result.Reason = hide.Replace(result.Reason)
	return result
}

// hider replaces the credentials of a check, in all forms in which they are likely to be repeated.
func hider(r checks.ProbeRequest, more []string) *strings.Replacer {
	var pairs []string
	for _, secret := range append(credentials(r), more...) {
		if len(secret) < shortestCredential {
			continue
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(secret, "/", `\/`)} {
			pairs = append(pairs, form, checks.SecretMask)
		}
	}
	return strings.NewReplacer(pairs...)
}

// credentials are the texts that let the check in, the longest first.
func credentials(r checks.ProbeRequest) (all []string) {
	if u, err := url.Parse(r.URL); err == nil {
		password, _ := u.User.Password()
		if u.User != nil {
			all = append(all, base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)), password)
		}
		for name, values := range u.Query() {
			if sett.IsSecret(name) {
				all = append(all, values...)
			}
		}
	}
	for _, h := range r.Headers {
		if checks.IsSecretHeader(h.Key) {
			_, bare, _ := strings.Cut(h.Value, " ")
			all = append(all, h.Value, bare)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // Replacer takes the first that fits
	return all
}
