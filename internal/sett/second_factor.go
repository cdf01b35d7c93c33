package sett

import (
	"crypto/rand"
	"strings"
)

// SecondFactor is the app with which a user proves that they are not somebody who only knows their password.
type SecondFactor struct {
	Secret        string // base32, of which codes of six digits are made (RFC 6238)
	Confirmed     bool   // false: it was never seen to work, and does not count
	RecoveryCodes int    // how many are left
}

// recoveryCodes is how many codes stand in for an app that is lost, each once, and recoveryLength how long one is:
// 16 characters of base32, 80 bits, so that their hashes need no salt.
const (
	recoveryCodes  = 10
	recoveryLength = 16
)

// NewRecoveryCodes returns ten new codes, such as "k3vq-…", in groups of four for people to read.
func NewRecoveryCodes() []string {
	codes := make([]string, recoveryCodes)
	for i := range codes {
		text := strings.ToLower(rand.Text()[:recoveryLength])
		codes[i] = strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, "-")
	}
	return codes
}

// PlainCode returns a code as it is compared: without spaces and dashes, which people add and leave out, and in lower case.
func PlainCode(typed string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '\t' {
			return -1
		}
		return r
	}, typed))
}
