package sett

import (
	"net/url"
	"strings"
)

// maskAddress returns a text with Hidden in place of what an address in it lets others in with: the user and password
// before its host, and the values of secrets among its parameters. A text that is no address has none of these.
func maskAddress(text string) string { return maskAddressWith(text, Hidden) }

// maskAddressWith is maskAddress with another text in place of secrets.
func maskAddressWith(text, mask string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		authority = mask + authority[at:]
	}
	rest, fragment, ok := strings.Cut(rest, "#")
	if ok {
		fragment = "#" + fragment
	}
	path, query, ok := strings.Cut(rest, "?")
	if ok {
		query = "?" + maskParameters(query, mask)
	}
	return scheme + "://" + authority + path + query + fragment
}

func maskParameters(query, mask string) string {
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		name, _, ok := strings.Cut(parameter, "=")
		if plain, err := url.QueryUnescape(name); ok && (err != nil || isSecret(plain)) {
			parameters[i] = name + "=" + mask
		}
	}
	return strings.Join(parameters, "&")
}
