package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Cost is what it takes to hash a password by argon2id.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32
	Lanes  uint8
}

// PasswordCost is the cost at which passwords are hashed (OWASP Password Storage Cheat Sheet, argon2id).
var PasswordCost = Cost{Memory: 19 << 10, Passes: 2, Lanes: 1}

const (
	argonSalt = 16 // bytes
	argonKey  = 32 // bytes
)

// Hash returns the argon2id hash of a password with a new salt, as a PHC string.
func (c Cost) Hash(password string) string {
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, c.Passes, c.Memory, c.Lanes, argonKey)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Lanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// HashPassword is PasswordCost.Hash.
func HashPassword(password string) string { return PasswordCost.Hash(password) }

// hashesAtOnce is how many passwords are hashed side by side: each takes 19 MiB and a core for some 30 ms.
const hashesAtOnce = 2

// Passwords hashes and checks passwords, a few at a time, so that a flood of sign-ins takes neither all memory nor all
// cores.
type Passwords struct {
	cost  Cost
	slots chan struct{}
	dummy string // the hash of a random password
}

// NewPasswords returns a Passwords that hashes at a cost.
func NewPasswords(cost Cost) *Passwords {
	return &Passwords{cost: cost, slots: make(chan struct{}, hashesAtOnce), dummy: cost.Hash(rand.Text())}
}

// Hash is Cost.Hash when it is this password's turn; the error is that of ctx.
func (p *Passwords) Hash(ctx context.Context, password string) (phc string, err error) {
	err = p.inTurn(ctx, func() { phc = p.cost.Hash(password) })
	return phc, err
}

// Check reports whether a password matches a hash, in its turn. A missing hash, because no user has the address or they have
// no password, takes as long as a wrong password. The error is that of ctx.
func (p *Passwords) Check(ctx context.Context, phc, password string) (right bool, err error) {
	known := phc != ""
	if !known {
		phc = p.dummy
	}
	err = p.inTurn(ctx, func() { right = CheckPassword(phc, password) })
	return right && known, err
}

func (p *Passwords) inTurn(ctx context.Context, hash func()) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
		hash()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// OutOfDate reports whether a password was hashed at another cost, so that it should be hashed again when it is known.
func (p *Passwords) OutOfDate(phc string) bool {
	h, ok := parseHash(phc)
	return !ok || h.cost != p.cost
}

// argonHash is a PHC string taken apart.
type argonHash struct {
	cost      Cost
	salt, key []byte
}

func parseHash(phc string) (h argonHash, ok bool) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return h, false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.cost.Memory, &h.cost.Passes, &h.cost.Lanes); err != nil {
		return h, false
	}
	var err error
	if h.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return h, false
	}
	h.key, err = base64.RawStdEncoding.DecodeString(parts[5])
	return h, err == nil && len(h.key) > 0 && h.cost.Passes > 0 && h.cost.Lanes > 0
}

// CheckPassword reports whether a password is the one that was hashed. A hash that cannot be read matches nothing.
func CheckPassword(phc, password string) bool {
	h, ok := parseHash(phc)
	if !ok {
		return false
	}
	got := argon2.IDKey([]byte(password), h.salt, h.cost.Passes, h.cost.Memory, h.cost.Lanes, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(got, h.key) == 1
}
