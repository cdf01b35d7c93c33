package signin

import (
	"crypto/rand"
	"strings"
	"time"

	"sett/internal/sett"
)

// Passkey is a credential of WebAuthn with which a user signs in: an authenticator holds the private key and checks who
// holds the authenticator.
type Passkey struct {
	ID           int64
	UserID       int64
	Name         string
	CredentialID []byte
	Handle       []byte // what the authenticator calls the user
	PublicKey    []byte // a COSE key (RFC 9052)
	Count        uint32 // of signatures so far; 0 when the authenticator does not count
	Syncs        bool   // it may be on several devices of its owner
	Copied       bool   // its count went back, so there is a copy of it; it is refused
	CreatedAt    time.Time
	UsedAt       time.Time // zero: never
}

// MostPasskeys is how many passkeys a user can have.
const MostPasskeys = 20

// passkeyHandle is the length, in bytes, of the name by which authenticators know a user: as random as a name can be (WebAuthn,
// section 14.6.1).
const passkeyHandle = 32

// NewPasskeyHandle returns what authenticators call a user. It says nothing about them.
func NewPasskeyHandle() []byte {
	handle := make([]byte, passkeyHandle)
	rand.Read(handle)
	return handle
}

// CopiedPasskey is the answer to a passkey that was copied.
func CopiedPasskey() *sett.Error {
	return sett.Errorf(sett.Invalid, "This passkey is not accepted any more: it has counted fewer signatures than we know of, so there may be a copy of it. "+
		"Sign in by other means, remove it on the page Security and add a new one.")
}

// SecondFactor is the app that proves that a user has more than their password.
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
