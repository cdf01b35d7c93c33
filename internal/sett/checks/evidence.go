package checks

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"sett/internal/sett"
)

// SecretMask stands in place of a secret that is not shown. Where it is sent back, the secret stays as it is.
const SecretMask = "********"

// IsSecretHeader reports whether the value of a header lets others in.
func IsSecretHeader(name string) bool {
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
		case IsSecretHeader(name):
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
func ShownAddress(address string) string { return sett.MaskAddressWith(address, SecretMask) }
