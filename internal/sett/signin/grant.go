package signin

import (
	"slices"

	"sett/internal/sett"
)

// Grant is the most that a token of /v3 may do. Its user may do less: what counts is the smaller of both.
type Grant struct {
	Scopes    []string
	AccountID string  // "" : every account of the user
	Projects  []int64 // none: every project of the account
	OfAccount bool    // the token belongs to the account, not to a person
}

// The verbs of a scope. One that writes does not read.
const (
	reads   = "read"
	writes  = "write"
	creates = "create"
)

// scopeAreas are what scopes are about, and which verbs each has beside reading.
func scopeAreas() []scopeArea {
	return []scopeArea{
		{"faults", []string{writes}},
		{"insights", nil},
		{"dashboards", []string{writes}},
		{"alarms", []string{writes}},
		{"deploys", []string{writes}},
		{"checkins", []string{writes}},
		{"uptime", []string{writes}},
		{"projects", []string{writes, creates}},
		{"integrations", []string{writes}},
		{"status_pages", []string{writes}},
		{"incidents", []string{writes}},
		{"team", []string{writes}},
		{"account", []string{writes}},
	}
}

type scopeArea struct {
	name string
	more []string
}

// Scopes lists every scope, such as faults:read.
func Scopes() []string { return append(ReadScopes(), WriteScopes()...) }

// ReadScopes lists the scopes that change nothing.
func ReadScopes() (all []string) {
	for _, area := range scopeAreas() {
		all = append(all, area.name+":"+reads)
	}
	return all
}

// WriteScopes lists the scopes that change something.
func WriteScopes() (all []string) {
	for _, area := range scopeAreas() {
		for _, verb := range area.more {
			all = append(all, area.name+":"+verb)
		}
	}
	return all
}

// forPersons is the scope that only tokens of persons can have.
const forPersons = "account:" + writes

// Grants returns what a token may do in /v3. One without scopes may do what its user may, or read it if the token is read-only.
func (t PersonalToken) Grants() Grant {
	switch g := t.Grant; {
	case len(g.Scopes) > 0:
		return g
	case t.ReadOnly:
		return Grant{Scopes: ReadScopes()}
	default:
		return Grant{Scopes: Scopes()}
	}
}

// Scoped reports whether the token is one of /v3 alone.
func (t PersonalToken) Scoped() bool { return len(t.Grant.Scopes) > 0 }

// Has reports whether a scope was granted; "" is what needs none.
func (g Grant) Has(scope string) bool { return scope == "" || slices.Contains(g.Scopes, scope) }

// Reaches reports whether the grant is for something of an account and, unless it is 0, of a project.
func (g Grant) Reaches(accountID string, projectID int64) bool {
	if g.AccountID != "" && accountID != "" && g.AccountID != accountID {
		return false
	}
	return projectID == 0 || len(g.Projects) == 0 || slices.Contains(g.Projects, projectID)
}

// NewSecret returns a new secret for the token, whose beginning says what kind it is.
func (t PersonalToken) NewSecret() string {
	switch {
	case t.Grant.OfAccount:
		return "hba_" + sett.RandomString(sett.TokenLength)
	case t.Scoped():
		return "hbu_" + sett.RandomString(sett.TokenLength)
	default:
		return sett.NewUserToken()
	}
}

// CheckGrant notes what is wrong with a grant, and puts its scopes in order.
func CheckGrant(p *sett.Problems, g Grant) Grant {
	asked := g.Scopes
	g.Scopes = nil
	for _, scope := range Scopes() {
		if slices.Contains(asked, scope) {
			g.Scopes = append(g.Scopes, scope)
		}
	}
	for _, scope := range asked {
		if !slices.Contains(Scopes(), scope) {
			p.Add("scopes", "has %.40q, which is no scope", scope)
			return g
		}
	}
	switch {
	case len(g.Scopes) == 0:
		p.Add("scopes", "must have at least one scope")
	case g.OfAccount && g.Has(forPersons):
		p.Add("scopes", "cannot have %s: only a person may change or delete an account", forPersons)
	}
	if g.AccountID == "" {
		p.Add("account_id", "must be one of your accounts")
	}
	return g
}
