package payload

import "strings"

// IsSecret reports whether a key, or a query string, names what must not become searchable in the clear.
func IsSecret(key string) bool {
	const shortest = len("token")
	for i := range len(key) - shortest + 1 {
		switch key[i] | 0x20 {
		case 'p':
			if hasFold(key[i:], "passw") || hasFold(key[i:], "passphrase") || hasFold(key[i:], "private_key") {
				return true
			}
		case 's':
			if hasFold(key[i:], "secret") {
				return true
			}
		case 't':
			if hasFold(key[i:], "token") {
				return true
			}
		case 'a':
			if hasFold(key[i:], "authorization") || hasFold(key[i:], "api_key") || hasFold(key[i:], "apikey") {
				return true
			}
		case 'c':
			if hasFold(key[i:], "cookie") || hasFold(key[i:], "credential") {
				return true
			}
		}
	}
	return false
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
