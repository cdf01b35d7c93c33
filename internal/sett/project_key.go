package sett

import "time"

// ProjectKey is an API key of a project, with which its clients report.
type ProjectKey struct {
	Key       string
	Scope     KeyScope
	CreatedAt time.Time
	EndsAt    time.Time // from when it is worth nothing; zero: never
	UsedAt    time.Time // when a notice or deploy came with it, to the hour or so; zero: never
}

// Whole reports whether a key does not end and may report everything. A project always has one.
func (k ProjectKey) Whole() bool { return k.EndsAt.IsZero() && k.Scope == ScopeAll }

// KeyScope is what may be reported with an API key.
type KeyScope string

// The scopes. A key in a web page is public: with ScopeNotices it cannot resolve errors through a deploy, or report
// that a job ran.
const (
	ScopeAll     KeyScope = "all"
	ScopeNotices KeyScope = "notices"
)

// KeyScopes are all scopes, first the one of a key that names none.
func KeyScopes() []KeyScope { return []KeyScope{ScopeAll, ScopeNotices} }

// ParseKeyScope reads a scope; "" is ScopeAll. Anything else is an Invalid error.
func ParseKeyScope(text string) (KeyScope, error) {
	switch s := KeyScope(text); s {
	case "":
		return ScopeAll, nil
	case ScopeAll, ScopeNotices:
		return s, nil
	}
	return "", Refuse("scope", `must be "all" or "notices"`)
}

// Label names the scope on pages.
func (s KeyScope) Label() string {
	if s == ScopeNotices {
		return "Errors only"
	}
	return "All: errors, deploys and check-ins"
}

// RefuseMore returns the error of a key whose scope does not allow what was tried, as in "record deploys"; nil when
// it does.
func (s KeyScope) RefuseMore(what string) error {
	if s != ScopeNotices {
		return nil
	}
	return Errorf(Forbidden, "This API key may report errors only, and cannot %s. Use a key with the scope \"all\" from the project's settings page.", what)
}

// MostProjectKeys is how many keys a project may have at a time.
const MostProjectKeys = 10

// KeyUseEvery is how often it is noted that a key is used.
const KeyUseEvery = time.Hour

// KeyGraces are the times for which a key that is revoked may still work: none, an hour, a day, a week, thirty days.
func KeyGraces() []time.Duration {
	return []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}
}
