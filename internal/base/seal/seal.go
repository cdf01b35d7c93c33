// Package seal encrypts what sett has to read again and others must not read in its database: a text is sealed together with the place
// where it is stored, and can be opened only for that place. The keys come from a file that is not in the database; see file.go. It never
// logs, and no error holds a key or a text.
package seal

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"
)

// Prefix is how every sealed text begins. The id of its key follows, and a colon.
const Prefix = "sealed:"

const (
	keyPrefix = "sett-key-"
	keyBytes  = 32
	idBytes   = 8
)

// PrefixLength is the length of a prefix that names a key; see Key.Prefix.
const PrefixLength = len(Prefix) + 2*idBytes + 1

// Key seals texts. The zero Key seals nothing.
type Key struct {
	id   string
	text string // as it is in a file
	aead cipher.AEAD
}

// NewKey returns a new random key.
func NewKey() Key {
	secret := make([]byte, keyBytes)
	rand.Read(secret)
	k, err := newKey(secret)
	if err != nil {
		panic("seal: make key: " + err.Error()) // its length is right
	}
	return k
}

// newKey derives from a secret what encrypts and, on its own, an id by which the key is known. The id says nothing of the key,
// and no other key has it.
func newKey(secret []byte) (Key, error) {
	id, err := hkdf.Key(sha256.New, secret, nil, "sett secret key: id", idBytes)
	if err != nil {
		return Key{}, err
	}
	encrypting, err := hkdf.Key(sha256.New, secret, nil, "sett secret key: encryption", chacha20poly1305.KeySize)
	if err != nil {
		return Key{}, err
	}
	aead, err := chacha20poly1305.NewX(encrypting)
	if err != nil {
		return Key{}, err
	}
	return Key{hex.EncodeToString(id), keyPrefix + base64.RawURLEncoding.EncodeToString(secret), aead}, nil
}

// errKey is the error of an invalid line. It does not contain the line.
var errKey = errors.New("it is not a key; a key starts with " + keyPrefix + " and is created by: sett secrets key")

// ParseKey reads a key as Text writes it.
func ParseKey(text string) (Key, error) {
	encoded, ok := strings.CutPrefix(text, keyPrefix)
	secret, err := base64.RawURLEncoding.DecodeString(encoded)
	if !ok || err != nil || len(secret) != keyBytes {
		return Key{}, errKey
	}
	return newKey(secret)
}

// ID is the public name of the key.
func (k Key) ID() string { return k.id }

// Text is the key itself.
func (k Key) Text() string { return k.text }

// String is the id, so that no log shows the key.
func (k Key) String() string { return k.id }

// GoString is String, so that %#v does not show the key either.
func (k Key) GoString() string { return k.id }

// Prefix is how all that this key has sealed begins.
func (k Key) Prefix() string { return Prefix + k.id + ":" }

// Seal encrypts a text with XChaCha20-Poly1305. Open takes it for the same place alone.
func (k Key) Seal(place, plain string) string {
	nonce := make([]byte, chacha20poly1305.NonceSizeX, chacha20poly1305.NonceSizeX+len(plain)+chacha20poly1305.Overhead)
	rand.Read(nonce)
	return k.Prefix() + base64.RawStdEncoding.EncodeToString(k.aead.Seal(nonce, nonce, []byte(plain), []byte(place)))
}

// KeyOf returns the id of the key that has sealed a text; ok is false for a text that is not sealed.
func KeyOf(text string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(text, Prefix)
	if !ok || len(rest) < 2*idBytes+1 || rest[2*idBytes] != ':' {
		return "", false
	}
	return rest[:2*idBytes], true
}

// ErrDamaged is the error of a sealed text that was changed, or moved from another place.
var ErrDamaged = errors.New("the encrypted value was changed or moved")

// Open returns what was sealed for the place by this key.
func (k Key) Open(place, sealed string) (string, error) {
	box, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(sealed, k.Prefix()))
	if err != nil || len(box) < chacha20poly1305.NonceSizeX {
		return "", ErrDamaged
	}
	nonce, text := box[:chacha20poly1305.NonceSizeX], box[chacha20poly1305.NonceSizeX:]
	plain, err := k.aead.Open(nil, nonce, text, []byte(place))
	if err != nil {
		return "", ErrDamaged
	}
	return string(plain), nil
}

// Ring is the keys of a file, the newest first.
type Ring []Key

// ParseRing reads the keys of a file, one on each line. Empty lines and those that begin with # are left out.
func ParseRing(text string) (ring Ring, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		k, err := ParseKey(line)
		if err != nil {
			return nil, fmt.Errorf("line %d cannot be used: %w", number, err)
		}
		if _, known := ring.Key(k.id); !known {
			ring = append(ring, k)
		}
	}
	if len(ring) == 0 {
		return nil, errors.New("it contains no key")
	}
	return ring, nil
}

// Key returns the key with an id.
func (r Ring) Key(id string) (Key, bool) {
	for _, k := range r {
		if k.id == id {
			return k, true
		}
	}
	return Key{}, false
}
