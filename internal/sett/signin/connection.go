package signin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
)

// Connection is a program that has a token by OAuth, and renews it with a refresh token.
type Connection struct {
	TokenID     int64
	Client      string // the id with which the program asks
	Salt        []byte
	MadeAt      time.Time // when a person allowed it
	RefreshedAt time.Time
	ExpiresAt   time.Time // when it has to be allowed again
	Scope       string    // of the token, as it is stored
	Newest      bool      // it was found by the newest refresh token, not by the one before
}

// The lives of connections. Clients do not renew a token in time, so one lasts for hours. A connection lasts ConnectionIdle after it was used to
// renew the token, and ConnectionLife after a person allowed it.
const (
	AccessLife     = 8 * time.Hour
	ConnectionIdle = 90 * 24 * time.Hour
	ConnectionLife = 365 * 24 * time.Hour

	// RefreshGrace is how long the refresh token before is answered with the same secrets again, as to a client that has lost the answer or
	// asked twice at once. Later, a copy of it is in the hands of another.
	RefreshGrace = time.Minute
)

// Over reports whether a person must allow the connection again.
func (c Connection) Over(now time.Time) bool { return !now.Before(c.ExpiresAt) }

// Stolen reports whether a refresh token that was used already comes too late to be a repetition.
func (c Connection) Stolen(now time.Time) bool {
	return !c.Newest && now.After(c.RefreshedAt.Add(RefreshGrace))
}

// Until returns when the connection ends if it is used at now.
func (c Connection) Until(now time.Time) time.Time {
	until, last := now.Add(ConnectionIdle), c.MadeAt.Add(ConnectionLife)
	if until.After(last) {
		return last
	}
	return until
}

// ConnectionSecrets are what a program gets: a token for requests, and one with which it gets the next pair.
type ConnectionSecrets struct{ Access, Refresh string }

// SecretsFrom returns the secrets that follow from one that a program has used up. Who has only the salt, or only the secret, cannot know them.
func SecretsFrom(salt []byte, used string) ConnectionSecrets {
	follow := func(prefix string) string {
		mac := hmac.New(sha256.New, salt)
		mac.Write([]byte(prefix + used))
		return prefix + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return ConnectionSecrets{follow(accessPrefix), follow(refreshPrefix)}
}

const (
	accessPrefix  = "sett_o_"
	refreshPrefix = "sett_r_"
)

// Renews reports whether a secret is a refresh token by its form. A code is none: who has only that has not proven to be who asked for it.
func Renews(secret string) bool { return strings.HasPrefix(secret, refreshPrefix) }

// OfProgram reports whether a token that counts was given to a program by OAuth, so that the program can ask for another one.
func OfProgram(secret string) bool { return strings.HasPrefix(secret, accessPrefix) }
