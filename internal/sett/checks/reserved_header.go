package checks

import "strings"

// reservedHeaders are headers by which proxies say who a request is from, written as headerName does. A check that sends one
// could pass for a person at whatever believes it.
var reservedHeaders = []string{
	"forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip", "x-cluster-client-ip", "sett-outbound",
	"remote-user", "remote-email", "remote-groups", "remote-name", "x-remote-user", "x-remote-email", "x-remote-groups", "x-authenticated-user",
	"x-webauth-user", "x-ms-client-principal", "x-ms-client-principal-name", "x-vouch-user", "x-pomerium-claim-email", "x-exedev-email",
}

// reservedPrefixes begin the names of more such headers.
var reservedPrefixes = []string{
	"x-forwarded-", "x-auth-request-", "x-authentik-", "x-authelia-", "cf-access-", "tailscale-user-", "x-goog-authenticated-user-", "x-goog-iap-", "x-amzn-oidc-",
}

// forwardedScheme is what a check may say of the way that it came, because many sites redirect without it. It names no user.
var forwardedScheme = []string{"x-forwarded-proto", "x-forwarded-port", "x-forwarded-ssl"}

// headerName writes the name of a header as servers compare names that take "_" for "-", as many do.
func headerName(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// SameHeader reports whether servers may take one name of a header for another; "" is none.
func SameHeader(a, b string) bool { return b != "" && headerName(a) == headerName(b) }

// isReservedHeader reports whether a header says who a request is from. identity is the one in which a proxy in front of sett
// names users; "" for none.
func isReservedHeader(name, identity string) bool {
	if SameHeader(name, identity) {
		return true
	}
	name = headerName(name)
	for _, scheme := range forwardedScheme {
		if name == scheme {
			return false
		}
	}
	for _, reserved := range reservedHeaders {
		if name == reserved {
			return true
		}
	}
	for _, prefix := range reservedPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
