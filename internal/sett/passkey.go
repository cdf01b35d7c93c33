package sett

import (
	"crypto/rand"
	"time"
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
	Copied       bool   // its count went back, so somebody has a copy of it; it is refused
	CreatedAt    time.Time
	UsedAt       time.Time // zero: never
}

// MostPasskeys is how many passkeys a user can have.
const MostPasskeys = 20

// passkeyHandle is how long the name of a user for authenticators is, in bytes: as random as a name can be (WebAuthn,
// section 14.6.1).
const passkeyHandle = 32

// NewPasskeyHandle returns what authenticators call a user. It says nothing about them.
func NewPasskeyHandle() []byte {
	handle := make([]byte, passkeyHandle)
	rand.Read(handle) //nolint:errcheck // never fails (crypto/rand since Go 1.24)
	return handle
}

// CopiedPasskey is the answer to a passkey that somebody has a copy of.
func CopiedPasskey() *Error {
	return Errorf(Invalid, "This passkey is not accepted any more: it has counted fewer signatures than we know of, so there may be a copy of it. "+
		"Sign in by other means, remove it on the page Security and add a new one.")
}
