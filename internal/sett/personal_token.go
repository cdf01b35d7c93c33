package sett

import (
	"strconv"
	"time"
)

// PersonalToken is a secret with which a user's programs use the management interface. The secret itself is not in it.
type PersonalToken struct {
	ID        int64
	Name      string
	ReadOnly  bool
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	UsedAt    time.Time // at most SightingGap late; zero: never
	UsedFrom  string    // network address
}

// Expired reports whether the token is no longer good at now.
func (t PersonalToken) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// The scopes of a token as people choose them.
const (
	ScopeRead  = "read"
	ScopeWrite = "write"
)

// Scope returns what the token may do: read, or read and write.
func (t PersonalToken) Scope() string {
	if t.ReadOnly {
		return ScopeRead
	}
	return ScopeWrite
}

// TokenLives returns the lives that a token can have, in days; 0 is for ever.
func TokenLives() []int { return []int{30, 90, 365, 0} }

// NewPersonalToken returns the token that somebody asks for – a name, a scope and a life in days as they wrote them –
// and notes what is wrong with it.
func NewPersonalToken(p *Problems, now time.Time, name, scope, days string) PersonalToken {
	t := PersonalToken{Name: name, ReadOnly: scope == ScopeRead, CreatedAt: now}
	CheckName(p, "name", name)
	if scope != ScopeRead && scope != ScopeWrite {
		p.Add("scope", "must be %s or %s", ScopeRead, ScopeWrite)
	}
	for _, life := range TokenLives() {
		if strconv.Itoa(life) != days {
			continue
		}
		if life > 0 {
			t.ExpiresAt = now.AddDate(0, 0, life)
		}
		return t
	}
	p.Add("days", "must be 30, 90, 365, or 0 for a token that does not expire")
	return t
}
