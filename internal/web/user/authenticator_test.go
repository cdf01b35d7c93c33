package user_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// The flags of an authenticator (WebAuthn, section 6.1).
const (
	userPresent  = 0x01
	userVerified = 0x04
	attested     = 0x40
)

// authenticator is a device with one passkey, as WebAuthn describes it.
type authenticator struct {
	t      *testing.T
	key    *ecdsa.PrivateKey
	id     []byte
	handle []byte // user handle that it received
	party  string // to which it says that it speaks
	origin string // of the page on which it was asked
	count  uint32
	flags  byte
}

func newAuthenticator(t *testing.T, origin string) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	rand.Read(id)
	return &authenticator{t: t, key: key, id: id, party: "localhost", origin: origin, count: 1, flags: userPresent | userVerified}
}

// options is the part of the passkey options that the tests read.
type options struct {
	Challenge string
	RpID      string
	RP        struct{ ID string }
	User      struct{ ID, Name string }

	UserVerification       string
	AllowCredentials       []struct{ ID string }
	ExcludeCredentials     []struct{ ID string }
	AuthenticatorSelection struct{ ResidentKey, UserVerification string }
}

func (a *answer) options() (o options) {
	a.t.Helper()
	a.want(200)
	if err := json.Unmarshal([]byte(a.Body), &o); err != nil || o.Challenge == "" {
		a.t.Fatalf("%s: options are %s, %v", a.Asked, a.Body, err)
	}
	return o
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// data is what it signs about itself.
func (a *authenticator) data(flags byte, more []byte) []byte {
	party := sha256.Sum256([]byte(a.party))
	return append(binary.BigEndian.AppendUint32(append(party[:], flags), a.count), more...)
}

func (a *authenticator) client(kind, challenge string) []byte {
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
	if err != nil {
		a.t.Fatal(err)
	}
	return text
}

func (a *authenticator) cbor(v any) []byte {
	a.t.Helper()
	text, err := webauthncbor.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	return text
}

// create creates a passkey for the options of a page.
func (a *authenticator) create(o options) string {
	a.t.Helper()
	handle, err := base64.RawURLEncoding.DecodeString(o.User.ID)
	if err != nil {
		a.t.Fatal(err)
	}
	a.handle = handle
	point, err := a.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		a.t.Fatal(err)
	}
	key := a.cbor(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]}) // ES256
	credential := append(make([]byte, 16), 0, byte(len(a.id)))
	data := a.data(a.flags|attested, append(append(credential, a.id...), key...))
	return a.answer(map[string]any{
		"clientDataJSON":    encoded(a.client("webauthn.create", o.Challenge)),
		"attestationObject": encoded(a.cbor(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})),
	})
}

// get signs a challenge.
func (a *authenticator) get(challenge string) string {
	a.t.Helper()
	a.count++
	client, data := a.client("webauthn.get", challenge), a.data(a.flags, nil)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, signed[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.answer(map[string]any{
		"clientDataJSON": encoded(client), "authenticatorData": encoded(data), "signature": encoded(signature), "userHandle": encoded(a.handle),
	})
}

func (a *authenticator) answer(response map[string]any) string {
	a.t.Helper()
	text, err := json.Marshal(map[string]any{
		"id": encoded(a.id), "rawId": encoded(a.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}
