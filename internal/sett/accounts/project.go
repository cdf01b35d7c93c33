package accounts

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/sett"
)

// Project is a container for all data of one app or service.
type Project struct {
	ID        int64
	AccountID string
	ProjectSettings
	Active           bool
	Token            string // the API key that clients report with
	CreatedAt        time.Time
	EarliestNoticeAt time.Time // zero when no notice ever came
	LastNoticeAt     time.Time
	Environments     []string
	FaultCount       int64
	UnresolvedCount  int64
	Owner            *sett.Person
	Sites            []SiteSummary
	Teams            []TeamName
	Users            []sett.Person
}

// TeamName is a team as a project shows it.
type TeamName struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// ProjectSettings are the fields of a project that people write.
type ProjectSettings struct {
	Name                  string
	Language              string
	ResolveErrorsOnDeploy bool
	DisablePublicLinks    bool
	UserURL               string
	SourceURL             string
	TraceURL              string
	PurgeDays             int64
	UserSearchField       string
}

// The default and the greatest number of days that notices are kept.
const (
	DefaultPurgeDays = 90
	MaxPurgeDays     = 3650
)

// NewProjectSettings returns what a project has when nothing is said.
func NewProjectSettings() ProjectSettings {
	return ProjectSettings{ResolveErrorsOnDeploy: true, PurgeDays: DefaultPurgeDays}
}

// Languages lists the values of a project's language.
var Languages = []string{"js", "elixir", "golang", "java", "node", "php", "python", "ruby", "other"}

// ProjectChange is the body of a project's create and update: only the fields that were sent change; null resets one
// to its default.
type ProjectChange struct {
	Name                  sett.Optional[string] `json:"name,omitzero" doc:"Required when creating." range:"1,255" null:"no" example:"Shop"`
	ResolveErrorsOnDeploy sett.Optional[bool]   `json:"resolve_errors_on_deploy,omitzero" doc:"Resolve all open faults when a deploy is recorded; true by default."`
	DisablePublicLinks    sett.Optional[bool]   `json:"disable_public_links,omitzero" doc:"Forbid sharing fault pages publicly. Existing links show nothing until public links are allowed again."`
	Language              sett.Optional[string] `json:"language,omitzero" enum:"js,elixir,golang,java,node,php,python,ruby,other"`
	UserURL               sett.Optional[string] `json:"user_url,omitzero" doc:"URL with [user_id] or [user_email] in it." range:"0,2000" example:"https://example.org/users/[user_id]"`
	SourceURL             sett.Optional[string] `json:"source_url,omitzero" doc:"URL with [sha], [file] or [line] in it." range:"0,2000" example:"https://git.example.org/shop/[sha]/[file]#L[line]"`
	TraceURL              sett.Optional[string] `json:"trace_url,omitzero" doc:"URL with [trace_id] in it." range:"0,2000" example:"https://traces.example.org/trace/[trace_id]"`
	PurgeDays             sett.Optional[int64]  `json:"purge_days,omitzero" doc:"Days that notices are kept; 90 by default." range:"1,3650"`
	UserSearchField       sett.Optional[string] `json:"user_search_field,omitzero" doc:"Where a notice names the affected user, such as context.user.email." range:"0,255" example:"context.user.email"`

	TeamIDs sett.Optional[[]int64] `json:"team_ids,omitzero" doc:"Ids of the teams of the account that can see the project; they replace the earlier ones. None by default."`
}

// Apply returns the settings with the change made, or an Invalid error that names every field that is wrong; teams are
// the ids of all teams of the project's account.
func (c ProjectChange) Apply(s ProjectSettings, teams []int64) (ProjectSettings, error) {
	var p sett.Problems
	fresh := NewProjectSettings()
	sett.SetName(&p, c.Name, &s.Name)
	sett.SetField(&p, "resolve_errors_on_deploy", c.ResolveErrorsOnDeploy, &s.ResolveErrorsOnDeploy, fresh.ResolveErrorsOnDeploy)
	sett.SetField(&p, "disable_public_links", c.DisablePublicLinks, &s.DisablePublicLinks, fresh.DisablePublicLinks)
	sett.SetField(&p, "language", c.Language, &s.Language, fresh.Language)
	sett.SetField(&p, "user_url", c.UserURL, &s.UserURL, fresh.UserURL)
	sett.SetField(&p, "source_url", c.SourceURL, &s.SourceURL, fresh.SourceURL)
	sett.SetField(&p, "trace_url", c.TraceURL, &s.TraceURL, fresh.TraceURL)
	sett.SetField(&p, "purge_days", c.PurgeDays, &s.PurgeDays, fresh.PurgeDays)
	sett.SetField(&p, "user_search_field", c.UserSearchField, &s.UserSearchField, fresh.UserSearchField)

	if s.Language != "" && !slices.Contains(Languages, s.Language) {
		p.Add("language", "is not included in the list: %s", strings.Join(Languages, ", "))
	}
	checkTemplate(&p, "user_url", s.UserURL, "[user_id]", "[user_email]")
	checkTemplate(&p, "source_url", s.SourceURL, "[file]", "[sha]", "[line]")
	checkTemplate(&p, "trace_url", s.TraceURL, "[trace_id]")
	if s.PurgeDays < 1 || s.PurgeDays > MaxPurgeDays {
		p.Add("purge_days", "must be from 1 to %d", MaxPurgeDays)
	}
	checkSearchField(&p, s.UserSearchField)
	checkTeamIDs(&p, c.TeamIDs, teams)
	return s, p.Refusal()
}

// checkTeamIDs adds a problem if a body names a team that does not belong to the account. Its text does not reveal whether the team exists in
// another account.
func checkTeamIDs(p *sett.Problems, sent sett.Optional[[]int64], teams []int64) {
	strange := func(id int64) bool { return !slices.Contains(teams, id) }
	if sett.Check(p, "team_ids", sent) && slices.ContainsFunc(sent.Value, strange) {
		p.Add("team_ids", "must be ids of teams of this account")
	}
}

// checkTemplate checks a URL template that must contain at least one of the placeholders.
func checkTemplate(p *sett.Problems, field, url string, placeholders ...string) {
	if url == "" {
		return
	}
	sett.CheckText(p, field, url, 2000)
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") || strings.ContainsAny(url, " \t") {
		p.Add(field, "must be a URL that starts with http:// or https:// and has no spaces")
	}
	if !slices.ContainsFunc(placeholders, func(s string) bool { return strings.Contains(url, s) }) {
		p.Add(field, "must contain %s", strings.Join(placeholders, " or "))
	}
}

func checkSearchField(p *sett.Problems, path string) {
	if path == "" {
		return
	}
	sett.CheckText(p, "user_search_field", path, 255)
	if slices.Contains(strings.Split(path, "."), "") || strings.ContainsAny(path, " ") {
		p.Add("user_search_field", "must be a dotted path such as context.user.email")
	}
}

// KeyedProject is what intake needs to know of the project that an API key belongs to.
type KeyedProject struct {
	ProjectID       int64
	AccountID       string
	UserSearchField string
	Scrubbing       string // see package scrub
	Grouping        string // see package regroup
	SourceMaps      bool   // it has some
	Forwards        bool   // its reports to the service that it moves from
	Active          bool
	Scope           KeyScope
}

// User is a person who can sign in.
type User struct {
	ID    int64
	Email string
	Name  string

	Zone        string // the time zone that they chose; "" follows the browser
	BrowserZone string // of their browser, as it was seen last; "" if it is unknown
}

// ProjectKey is an API key of a project, with which its clients report.
type ProjectKey struct {
	Key       string
	Scope     KeyScope
	Label     string // what it is for; "" for none
	CreatedAt time.Time
	EndsAt    time.Time // from when it is worth nothing; zero: never
	UsedAt    time.Time // when a notice or deploy came with it, to the hour or so; zero: never
}

// ID names the key without saying it.
func (k ProjectKey) ID() string {
	sum := sha256.Sum256([]byte(k.Key))
	return hex.EncodeToString(sum[:6])
}

// ProjectKeyChange is what a request says of a key.
type ProjectKeyChange struct {
	Label sett.Optional[string] `json:"label,omitzero" doc:"What the key is for." range:"0,255" example:"Web shop"`
	Scope sett.Optional[string] `json:"scope,omitzero" doc:"What the key can report: everything, or only errors; all by default." enum:"all,notices"`
}

// Apply returns the key after the change, or an Invalid error that names every field that is wrong. Only null resets the scope: an empty
// text would let a key do more by mistake.
func (c ProjectKeyChange) Apply(k ProjectKey) (ProjectKey, error) {
	var p sett.Problems
	if sett.Check(&p, "label", c.Label) && utf8.RuneCountInString(c.Label.Value) > 255 {
		p.Add("label", "must have at most 255 characters")
	}
	if c.Label.Sent {
		k.Label = strings.TrimSpace(c.Label.Value)
	}
	switch known := sett.Check(&p, "scope", c.Scope); {
	case c.Scope.Null:
		k.Scope = ScopeAll
	case known && !slices.Contains(KeyScopes(), KeyScope(c.Scope.Value)):
		p.Add("scope", `must be "all" or "notices"`)
	case known:
		k.Scope = KeyScope(c.Scope.Value)
	}
	return k, p.Refusal()
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
	return "", sett.Refuse("scope", `must be "all" or "notices"`)
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
	return sett.Errorf(sett.Forbidden, "This API key may report errors only, and cannot %s. Use a key with the scope \"all\" from the project's settings page.", what)
}

// MostProjectKeys is how many keys a project may have at a time.
const MostProjectKeys = 10

// KeyUseEvery is how often it is noted that a key is used.
const KeyUseEvery = time.Hour

// KeyGraces are the times for which a key that is revoked may still work: none, an hour, a day, a week, thirty days.
func KeyGraces() []time.Duration {
	return []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}
}

// Environment is where a project's program runs. Notices and deploys make those that they name.
type Environment struct {
	ID        int64
	ProjectID int64
	EnvironmentSettings
	CreatedAt time.Time
	UpdatedAt time.Time
}

// EnvironmentSettings are the fields of an environment that people write.
type EnvironmentSettings struct {
	Name          string // unique in the project
	Notifications bool   // false keeps what happens there silent
}

// NewEnvironmentSettings returns what an environment has when nothing is said.
func NewEnvironmentSettings() EnvironmentSettings { return EnvironmentSettings{Notifications: true} }

// EnvironmentChange is the body of an environment's create and update: only the fields that were sent change; null
// resets one to its default.
type EnvironmentChange struct {
	Name          sett.Optional[string] `json:"name,omitzero" doc:"Required when creating; unique in the project." range:"1,255" null:"no" example:"production"`
	Notifications sett.Optional[bool]   `json:"notifications,omitzero" doc:"False turns off its notifications; true by default."`
}

// Apply returns the settings with the change made, or an Invalid error that names every field that is wrong. A name is
// what intake leaves of the name in a notice, so that the two meet: one line without blanks around it.
func (c EnvironmentChange) Apply(s EnvironmentSettings) (EnvironmentSettings, error) {
	var p sett.Problems
	fresh := NewEnvironmentSettings()
	sett.SetName(&p, c.Name, &s.Name)
	sett.SetField(&p, "notifications", c.Notifications, &s.Notifications, fresh.Notifications)
	return s, p.Refusal()
}

// SiteSummary is a site as its project shows it.
type SiteSummary struct {
	ID            sett.UUID
	Name          string
	URL           string
	Active        bool
	State         sett.SiteState
	LastCheckedAt time.Time // zero: never
}
