package move

import "time"

// Site is an address that the source checks.
type Site struct {
	ID, Name, URL   string
	Every, Timeout  time.Duration
	Method, Body    string
	Headers         []Header
	Match           Match
	Text            string // that Match is about: a status, or a text of the page
	AnyCertificate  bool   // one that is not valid is accepted
	FollowRedirects bool
	Failures        int64 // in a row that make an outage; 0: as sett decides by itself
	Paused          bool

	Past Past `json:"-"`
}

// KumaAlias, PingAlias and CheckInAlias are how a job asks for a check-in at Uptime Kuma, Healthchecks and Honeybadger: by a token, by what
// follows /ping/, or by an id.
func KumaAlias(token string) string { return "push/" + token }
func PingAlias(path string) string  { return "ping/" + path }
func CheckInAlias(id string) string { return "check_in/" + id }

// Header is sent with each check.
type Header struct{ Name, Value string }

// Match says what a check wants to see.
type Match string

// The matches.
const (
	AnySuccess Match = "success" // a status from 200 to 299
	OneStatus  Match = "exact"
	WithText   Match = "include"
	WithoutIt  Match = "exclude"
)

// Past is what the source knows of the time before the move.
type Past struct {
	Since    time.Time // when it began to watch; zero: not known, and there is no past
	Last     time.Time // when it looked last
	Outages  []Outage  // that are over, oldest first; none overlap
	Days     []Day     // in order
	Reported time.Time // of a check-in: when the job reported last
}

// MostOutages and MostDays are how much of the past of one thing comes: the newest.
const (
	MostOutages = 500
	MostDays    = 400
)

// Outage is a time in which something was down.
type Outage struct {
	Down, Up time.Time
	Reason   string
}

// Day sums up the checks of a day (UTC).
type Day struct {
	At         time.Time // its midnight
	Up, Failed int64
	Average    time.Duration // of the responses
}

// Channel is where the source sends what it finds.
type Channel struct {
	ID, Name string
	Type     string         // as sett calls it
	Options  map[string]any // of that type in sett, with their secrets
	Events   []string       `json:",omitempty"` // that it gets, as sett calls them; none: as sett decides by itself

	Excluded []string `json:",omitempty"` // environments of which it gets none
}

// StatusPage is a page that shows how things are.
type StatusPage struct {
	ID, Name, Slug string
	Domain         string
	Unlisted       bool
	Components     []Component
	Incidents      []Incident
}

// Component is one line of a page.
type Component struct {
	Kind        Kind
	ID          string // of the site or check-in at the source
	Name, Group string
	Description string
}

// Kind says what an id of the source is of.
type Kind string

// The kinds of what is watched, and of what is made of it.
const (
	SiteKind    Kind = "site"
	CheckInKind Kind = "check_in"
	ChannelKind Kind = "channel"
	PageKind    Kind = "status_page"
	NoteKind    Kind = "incident"
	WindowKind  Kind = "maintenance"
)

// Watched names a site or a check-in of the source.
type Watched struct {
	Kind Kind
	ID   string
}

// Incident is what a page said of a disruption.
type Incident struct {
	ID, Name   string
	Message    string    // Markdown
	Start, End time.Time // End zero: it lasts
	Of         []Watched
}

// Maintenance is a time in which the source sends nothing.
type Maintenance struct {
	ID, Reason string
	Start, End time.Time
	Of         []Watched // none: everything
}

// Monitoring is all that a source watches, and what it does not give.
type Monitoring struct {
	From     Place
	Sites    []Site
	CheckIns []CheckIn
	Channels []Channel
	Pages    []StatusPage
	Windows  []Maintenance
	Left     []Left
}

// Leave notes what does not come, or not as it was.
func (m *Monitoring) Leave(noun, name, why, page string) {
	m.Left = append(m.Left, Left{Noun: noun, Name: Line(name, MostName), Why: why, Page: page})
}
