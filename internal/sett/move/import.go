package move

import (
	"net/url"
	"strings"
	"time"
	"unicode"

	"sett/internal/sett"
)

// Kinds of servers that a page imports from, as Place.Source says them.
const (
	FromSentry       = "sentry" // or GlitchTip
	FromHoneybadger  = "honeybadger"
	FromBugsink      = "bugsink"
	FromHealthchecks = "healthchecks"
)

// Settings say what is brought, and from where. They have no token.
type Settings struct {
	From     string   `json:"from"`               // one of the kinds
	URL      string   `json:"url"`                // of the server, without a path; "" for files
	Files    []string `json:"files,omitempty"`    // names of the files, if there is no server
	Org      string   `json:"org,omitempty"`      // of Sentry: its slug
	Theirs   string   `json:"theirs,omitempty"`   // of Honeybadger: the id of the account there; "" if there is one
	Projects []string `json:"projects,omitempty"` // of error trackers: which of them; empty for all
	Events   int      `json:"events,omitempty"`   // of error trackers: the newest of each error
	Project  string   `json:"project,omitempty"`  // of monitors: the name of the project that all goes to
}

// The bounds of settings.
const (
	MostChosen  = 200   // projects
	MostNewest  = 100   // events of each error
	mostAddress = 500   // bytes
	mostToken   = 2_000 // bytes
)

// Monitor reports whether all that comes goes to one project.
func (s Settings) Monitor() bool { return s.From == FromHealthchecks || s.OfFiles() }

// Host returns the host of the server, or the names of files; "" if the address is none.
func (s Settings) Host() string {
	if s.OfFiles() {
		return Line(strings.Join(s.Files, ", "), MostName)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Check returns settings as they are stored, and adds a problem for each field that is wrong.
func (s Settings) Check(p *sett.Problems) Settings {
	s.URL, s.Org, s.Theirs, s.Project = strings.TrimRight(strings.TrimSpace(s.URL), "/"), strings.TrimSpace(s.Org), strings.TrimSpace(s.Theirs), strings.TrimSpace(s.Project)
	if s.OfFiles() {
		s.URL = ""
		sett.CheckName(p, "project", s.Project)
		return s
	}
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "":
		p.Add("url", "can't be blank")
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || len(s.URL) > mostAddress:
		p.Add("url", "must be the address of the server, such as https://errors.example.org")
	}
	switch s.From {
	case FromSentry:
		if s.Org == "" {
			p.Add("org", "can't be blank")
		}
		checkName(p, "org", s.Org)
	case FromHoneybadger:
		checkName(p, "theirs", s.Theirs)
	case FromBugsink:
	case FromHealthchecks:
		sett.CheckName(p, "project", s.Project)
		return s
	default:
		p.Add("from", "is not known; choose one of the list")
	}
	if len(s.Projects) > MostChosen {
		p.Add("projects", "has more than %d names; leave it empty to import all", MostChosen)
	}
	for _, name := range s.Projects {
		checkName(p, "projects", name)
	}
	if s.Events < 0 || s.Events > MostNewest {
		p.Add("events", "must be from 0 to %d", MostNewest)
	}
	return s
}

func checkName(p *sett.Problems, field, name string) {
	if len(name) > MostName || strings.ContainsFunc(name, unicode.IsControl) {
		p.Add(field, "must have at most %d characters, in one line", MostName)
	}
}

// CheckToken returns a token as it is sent, and adds a problem if it can be none.
func CheckToken(p *sett.Problems, token string) string {
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		p.Add("token", "can't be blank")
	case len(token) > mostToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		p.Add("token", "contains characters that no token has; copy it again")
	}
	return token
}

// ImportState is how far an import of a page is.
type ImportState string

// The states. An import that is waiting or running is open; the others can go on.
const (
	ImportWaiting ImportState = "waiting"
	ImportRunning ImportState = "running"
	ImportDone    ImportState = "done"
	ImportFailed  ImportState = "failed"
	ImportStopped ImportState = "stopped" // by people
)

// Import is what people have asked this server to bring, on a page.
type Import struct {
	ID        int64
	AccountID string
	By        sett.Person // who asked for it; an ID of 0 for who is gone
	Settings  Settings
	DryRun    bool // it looks, and writes nothing
	State     ImportState
	Progress  Progress
	Report    *Report // of what came so far; nil: nothing was read
	Problem   string  // why it failed
	CreatedAt time.Time
	EndedAt   time.Time // zero: it is open
}

// Open reports whether a server works on an import, or will.
func (i Import) Open() bool { return i.State == ImportWaiting || i.State == ImportRunning }

// GoesOn reports whether people can let an import go on.
func (i Import) GoesOn() bool { return i.State == ImportFailed || i.State == ImportStopped }

// Progress is how far the current step of an import is.
type Progress struct {
	Step  string `json:"step,omitempty"`
	Done  int64  `json:"done,omitempty"`
	Total int64  `json:"total,omitempty"`   // 0: not known
	Left  int64  `json:"left_ms,omitempty"` // estimated; 0: not known
}
