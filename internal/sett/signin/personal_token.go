package signin

import (
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
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
	Grant     Grant     // of a token of /v3; without scopes it is one of /v2
	Renewed   time.Time // until when a program renews the token, which it got by OAuth; zero: none does. Only lists have it
}

// Expired reports whether the token is no longer good at now.
func (t PersonalToken) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// Over reports whether the token is of no use any more: it has expired, and no program renews it.
func (t PersonalToken) Over(now time.Time) bool {
	return t.Expired(now) && !now.Before(t.Renewed)
}

// Audited returns the fields of a new token for the audit log.
func (t PersonalToken) Audited() map[string]any {
	fields := map[string]any{"name": t.Name, "scope": t.Scope(), "expires_at": nil}
	if t.Scoped() {
		fields["scope"], fields["account_id"], fields["project_ids"] = strings.Join(t.Grant.Scopes, " "), t.Grant.AccountID, t.Grant.Projects
	}
	if !t.ExpiresAt.IsZero() {
		fields["expires_at"] = t.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return fields
}

// The scopes of a token as people choose them.
const (
	ScopeRead  = "read"
	ScopeWrite = "write"
)

// Scope returns what the token may do: read, or read and write, or its scopes.
func (t PersonalToken) Scope() string {
	if t.Scoped() {
		return strings.Join(t.Grant.Scopes, " ")
	}
	if t.ReadOnly {
		return ScopeRead
	}
	return ScopeWrite
}

// TokenLives returns the lives that a token can have, in days; 0 is for ever.
func TokenLives() []int { return []int{30, 90, 365, 0} }

// NewPersonalToken returns the token that a user asks for – a name, a scope and a life in days as they wrote them –
// and notes what is wrong with it.
func NewPersonalToken(p *sett.Problems, now time.Time, name, scope, days string) PersonalToken {
	t := PersonalToken{Name: name, ReadOnly: scope == ScopeRead, CreatedAt: now}
	sett.CheckName(p, "name", name)
	CheckScope(p, "scope", scope)
	t.ExpiresAt = expiryOf(p, now, days)
	return t
}

// NewScopedToken is NewPersonalToken for a token of /v3.
func NewScopedToken(p *sett.Problems, now time.Time, name string, grant Grant, days string) PersonalToken {
	t := PersonalToken{Name: name, ReadOnly: true, CreatedAt: now} // nodes of earlier versions know no scopes
	sett.CheckName(p, "name", name)
	t.Grant = CheckGrant(p, grant)
	t.ExpiresAt = expiryOf(p, now, days)
	return t
}

// expiryOf returns when a token ends that has a life in days.
func expiryOf(p *sett.Problems, now time.Time, days string) (at time.Time) {
	for _, life := range TokenLives() {
		if strconv.Itoa(life) != days {
			continue
		}
		if life > 0 {
			at = now.AddDate(0, 0, life)
		}
		return at
	}
	p.Add("days", "must be 30, 90, 365, or 0 for a token that does not expire")
	return at
}

// CheckScope notes that a scope is none that a token can have.
func CheckScope(p *sett.Problems, field, scope string) {
	if scope != ScopeRead && scope != ScopeWrite {
		p.Add(field, "must be %s or %s", ScopeRead, ScopeWrite)
	}
}

// NeverExpires is how people write that a token has no end.
const NeverExpires = "never"

// longestTokenLife is the longest life in days that is taken as meant, 100 years.
const longestTokenLife = 36_525

// ParseExpiry reads when a token shall end, as people write it – a life in days such as "90d", the day on which it ends
// such as "2027-03-31", in UTC, or NeverExpires – and notes what is wrong with it. No end is the zero time.
func ParseExpiry(p *sett.Problems, field string, now time.Time, text string) time.Time {
	if text == NeverExpires {
		return time.Time{}
	}
	if days, isLife := strings.CutSuffix(text, "d"); isLife {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= longestTokenLife {
			return now.AddDate(0, 0, n)
		}
	}
	day, err := time.Parse(time.DateOnly, text)
	switch {
	case err != nil:
		p.Add(field, "must be a number of days such as 90d, a date such as %s, or %s", now.UTC().AddDate(1, 0, 0).Format(time.DateOnly), NeverExpires)
	case !day.After(now):
		p.Add(field, "must be a day after today, %s (UTC)", now.UTC().Format(time.DateOnly))
	}
	return day
}
