package scrub

import (
	"slices"
	"strings"
)

// secrecy is what a key says about its value.
type secrecy int

const (
	open    secrecy = iota
	scalars         // a text or number below the key is a secret; an object is not, as the key has other meanings too
	secret
)

// of returns what a key says about its value: by the names of the project, and by the usual names of passwords, tokens, keys and
// the like. Case does not count, nor do the signs between words.
func (r *Rules) of(key string) secrecy {
	if len(r.names)+len(r.keep) == 0 && !(r.usual && mayBeSecret(key)) {
		return open
	}
	return r.decide(key)
}

func (r *Rules) decide(key string) secrecy {
	var room [longestName]byte
	name := plainName(room[:0], key)
	switch {
	case len(name) == 0 || anyMatches(r.keep, name):
		return open
	case anyMatches(r.names, name):
		return secret
	case !r.usual || key == "PWD" || key == "OLDPWD":
		return open
	case isWholeName(name):
		return scalars
	case isSecretName(name):
		return secret
	case key[0] == '_' && strings.HasSuffix(key, usualCookie):
		return scalars
	}
	return open
}

// ofPath returns the name that decides about a value at a key which may have dots between the names of objects, and what it says. All in an
// object is secret if its name is, unless the rest of the key describes the secret: "token.count".
func (r *Rules) ofPath(key string) (name string, level secrecy) {
	rest := key
	for {
		dot := strings.IndexByte(rest, '.')
		if dot < 0 {
			return rest, r.of(rest)
		}
		name, rest = rest[:dot], rest[dot+1:]
		var room [longestName]byte
		if r.of(name) == secret && !describes(plainName(room[:0], rest)) {
			return name, secret
		}
	}
}

// IsSecret reports whether the value of a key is removed, if it is a text.
func (r *Rules) IsSecret(key string) bool { return r != nil && !r.off && r.of(key) != open }

// longestName is how many letters and digits of a key are looked at, from its end: that is where names say what they are.
const longestName = 64

// plainName appends the letters and digits of a key to room, in lower case.
func plainName(room []byte, key string) []byte {
	if len(key) > longestName {
		key = key[len(key)-longestName:]
	}
	for i := range len(key) {
		if c := plain[key[i]]; c != 0 {
			room = append(room, c)
		}
	}
	return room
}

// plain has letters in lower case, digits, and 0 for the signs between words.
var plain = func() (t [256]byte) {
	for i := range t {
		switch c := byte(i); {
		case 'A' <= c && c <= 'Z':
			t[i] = c | 0x20
		case 'a' <= c && c <= 'z' || isDigit(c) || c >= 0x80:
			t[i] = c
		}
	}
	return t
}()

// usualCookie ends the name of the cookie of Rails, which has the whole session.
const usualCookie = "_session"

// mayBeSecret reports whether a key can be one of the usual names of secrets. Of nearly all keys it is false, and decide need not look at them.
func mayBeSecret(key string) bool {
	if len(key) > longestName {
		key = key[len(key)-longestName:]
	}
	state := uint16(0)
	for i := range len(key) {
		if state = secretMatcher[state][plainClass[key[i]]]; state == matched {
			return true
		}
	}
	return strings.HasSuffix(key, usualCookie)
}

// isWholeName reports whether a name is that of a secret, and no part of a longer name is. Some are those of cookies.
func isWholeName(name []byte) bool { return slices.Contains(secretNames, string(name)) }

var (
	secretNames = []string{
		"pass", "auth", "proxyauth", "cvv", "cvc", "cvv2", "cvc2", "ssn", "pin", "otp", "iban",
		"connectsid", "laravelsession", "aspnetcoresession", "aspnetcorecookies", "aspnetcoreidentityapplication",
	}
	// secretParts are parts of the names of secrets, by their first letter.
	secretParts = [256][]string{
		'a': {"apikey", "accesskey", "authorization", "authkey", "accountkey"},
		'b': {"bearer"},
		'c': {"credential", "creditcard", "cardnumber", "ccnumber", "csrf", "clientkey"},
		'e': {"encryptionkey"},
		'j': {"jwt"},
		'm': {"masterkey"},
		'p': {"passw", "passphrase", "privatekey", "pwd"},
		's': {"secret", "securitycode", "socialsecurity", "sessionid", "sessionkey", "sessid", "setcookie", "signingkey", "sharedkey", "storagekey"},
		't': {"token"},
		'x': {"xsrf"},
	}
	// What follows a part makes a name that describes a secret, and is not one: "token_type", "password_changed_at".
	harmlessEnds = []string{
		"at", "count", "type", "length", "size", "limit", "expires", "expiry", "expiresin", "expiration", "enabled", "required", "strength", "policy",
		"used", "usage", "reset", "changed", "confirmed", "name", "field", "url", "uri", "path", "file", "id",
	}
)

func isSecretName(name []byte) bool {
	for i, c := range name {
		for _, part := range secretParts[c] {
			if hasPrefix(name[i:], part) {
				return !describes(name[i+len(part):])
			}
		}
	}
	return false
}

// describes reports whether the rest of a name, after the part that is secret, makes it describe the secret.
func describes(rest []byte) bool {
	for _, end := range harmlessEnds {
		if len(rest) >= len(end) && string(rest[len(rest)-len(end):]) == end {
			return true
		}
	}
	return false
}

// countsSomething reports whether a number below a key is an amount, such as max_tokens of a language model.
func countsSomething(key string) bool { return strings.HasSuffix(strings.ToLower(key), "tokens") }

func hasPrefix(name []byte, prefix string) bool {
	return len(name) >= len(prefix) && string(name[:len(prefix)]) == prefix
}
