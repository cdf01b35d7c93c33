// Package release knows releases: versions of a project's program, which notices and deploys call their revision. It checks and shortens
// versions and what clients say about releases, and from figures such as new errors and sessions it gives a verdict against the previous
// release. It is pure: it stores nothing, and takes the time as an argument.
package release

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sett/internal/sett"
)

// Release is a version of a project's program: what notices and deploys call their revision.
type Release struct {
	ProjectID   int64
	Version     string
	CreatedAt   time.Time // when it was first named
	ReleasedAt  time.Time // zero: no client said so
	Ref         string    // such as a branch or commit; "" if no client said so
	URL         string
	FirstSeenAt time.Time // of its first event; zero: there was none
	LastSeenAt  time.Time
	Events      int64
}

// Change creates or changes a release. Fields that were not sent stay as they are.
type Change struct {
	Version    string
	ReleasedAt sett.Optional[time.Time]
	Ref        sett.Optional[string]
	URL        sett.Optional[string]
}

// Commit is a commit that a client says is in a release.
type Commit struct {
	SHA     string
	Message string
	Author  string
	Email   string
	At      time.Time // zero: unknown
}

// Event is what happened to a fault in a release.
type Event string

const (
	New      Event = "new"      // its first notice is from the release
	Reopened Event = "reopened" // it was resolved, and occurred again in the release
	Resolved Event = "resolved" // a deploy of the release resolved it
)

// The limits of releases. They keep what holders of an API key can create small; see faults.MostEnvironments.
const (
	// MostPerProject is how many releases of a project have a row. Events of others are stored as always, and count for no release.
	MostPerProject = 5_000

	// Other is the version under which sessions count for whose release there is no room.
	Other = "(other)"

	// MostCommits is how many commits of a release are stored: the newest.
	MostCommits = 100

	longestVersion    = 255 // characters, as of all names
	longestCommitText = 500 // characters
	longestURL        = 2_000
)

// IsVersion reports whether a text can be the version of a release: a line of text that can be part of a URL.
func IsVersion(text string) bool {
	switch text {
	case "", ".", "..", Other:
		return false
	}
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= longestVersion && strings.TrimSpace(text) == text &&
		!strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) })
}

// Check returns an Invalid error that names the wrong fields, or nil.
func (c Change) Check() error {
	var p sett.Problems
	if !IsVersion(c.Version) {
		p.Add("version", "must be one line of 1 to %d characters, without spaces around it, and not %q, %q or %q", longestVersion, ".", "..", Other)
	}
	sett.Check(&p, "released_at", c.ReleasedAt)
	if sett.Check(&p, "ref", c.Ref) {
		sett.CheckText(&p, "ref", c.Ref.Value, longestVersion)
	}
	if sett.Check(&p, "url", c.URL) {
		sett.CheckText(&p, "url", c.URL.Value, longestURL)
	}
	return p.Refusal()
}

// CutCommits returns the commits that are stored of those that a client sends: the first, with texts of limited length. A message
// is cut after its first line. Commits without an id are left out.
func CutCommits(sent []Commit) (commits []Commit) {
	for _, c := range sent {
		c.Message, _, _ = strings.Cut(strings.TrimSpace(c.Message), "\n")
		for _, text := range []*string{&c.SHA, &c.Message, &c.Author, &c.Email} {
			*text = cutLine(*text, longestCommitText)
		}
		if c.SHA != "" {
			commits = append(commits, c)
		}
		if len(commits) == MostCommits {
			break
		}
	}
	return commits
}

// cutLine returns text as one valid line of at most so many characters.
func cutLine(text string, most int) string {
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}

// SessionSums are counts of sessions. A session is one use of a program: a page view, a run, a request.
type SessionSums struct {
	Total    int64
	Errored  int64 // ended well, after errors
	Crashed  int64
	Abnormal int64 // ended for an unknown reason, such as a freeze
}

// Plus returns the sums of both.
func (s SessionSums) Plus(other SessionSums) SessionSums {
	return SessionSums{s.Total + other.Total, s.Errored + other.Errored, s.Crashed + other.Crashed, s.Abnormal + other.Abnormal}
}

// CrashFree returns the share of sessions that did not crash, between 0 and 1; false if there is no session.
func (s SessionSums) CrashFree() (share float64, ok bool) {
	if s.Total <= 0 {
		return 0, false
	}
	return max(0, 1-float64(s.Crashed)/float64(s.Total)), true
}
