package faults

import (
	"net/url"
	"strings"
	"time"

	"sett/internal/sett/alerts"
)

// Deploy is a release of a project to an environment.
type Deploy struct {
	ID            int64
	ProjectID     int64
	Environment   string // "" when the deploy named none: then it is one of the whole project
	Revision      string
	Repository    string // its address, as reported
	LocalUsername string
	CreatedAt     time.Time
	Previous      string // the revision that it replaced; "" when unknown
}

// Alert returns what is raised by a deploy.
func (d Deploy) Alert() alerts.Alert {
	return alerts.Alert{
		ProjectID: d.ProjectID, Event: alerts.AlertDeployed, Subject: alerts.DeploySubject(d.ID), Environment: d.Environment, At: d.CreatedAt,
		Facts: alerts.AlertFacts{DeployID: d.ID},
	}
}

// latestDeploy is how long ago a deploy may have been that is recorded only now.
const latestDeploy = 24 * time.Hour

// DeployedAt returns when a deploy was: as its client says, or now where that is zero. A clock that is ahead, or
// a date that is long past, is not believed: notices and lists are held against it.
func DeployedAt(said, now time.Time) time.Time {
	if said.After(now) || said.Before(now.Add(-latestDeploy)) {
		return now
	}
	return said
}

// WithoutPassword returns a repository's address without the user and password that may stand in it: CI servers clone
// with tokens, and users of the project must not see those. What is no such address is returned as it is.
func WithoutPassword(repository string) string {
	scheme, rest, _ := strings.Cut(repository, "://")
	if scheme != "http" && scheme != "https" {
		return repository
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest[:end], '@')+1:]
}

// SuspectFor is how long before the first event of an error a deploy may have been that probably caused it.
const SuspectFor = 24 * time.Hour

// Suspect reports whether the deploy probably caused an error whose first event came from that revision at a time: it is the last one before it,
// and nothing says that the event came from another release.
func (d Deploy) Suspect(first time.Time, revision string) bool {
	return !d.CreatedAt.After(first) && first.Sub(d.CreatedAt) <= SuspectFor && (revision == "" || d.Revision == "" || d.Revision == revision)
}

// CompareURL returns the address where the repository's host shows what the deploy changed, or "" when the repository
// or one of the revisions is unknown.
func (d Deploy) CompareURL() string {
	repository := webAddress(d.Repository)
	if repository == "" || d.Previous == "" || d.Revision == "" {
		return ""
	}
	return repository + "/compare/" + url.PathEscape(d.Previous) + "..." + url.PathEscape(d.Revision)
}

// webAddress returns the address of a repository for a browser, without a trailing slash or ".git": https addresses as
// they are but without a password, git@host:path and ssh:// ones as https; "" for anything else.
func webAddress(repository string) string {
	repository = strings.TrimSpace(repository)
	if rest, ok := strings.CutPrefix(repository, "git@"); ok {
		repository = "https://" + strings.Replace(rest, ":", "/", 1)
	}
	u, err := url.Parse(repository)
	if err != nil || u.Host == "" {
		return ""
	}
	switch u.Scheme {
	case "ssh", "git":
		u.Scheme, u.Host = "https", u.Hostname()
	case "http", "https":
	default:
		return ""
	}
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(strings.TrimRight(u.Path, "/"), ".git")}
	return clean.String()
}

// DeployEffect is what came of a deploy, until the next one to its environment.
type DeployEffect struct {
	Resolved   int64     // faults that it resolved
	New        int64     // faults that were made after it
	Reopened   int64     // times that a resolved fault occurred again after it
	Until      time.Time // of the next deploy; zero: there was none yet
	HourBefore int64     // notices in its environment, in the 60 minutes before the minute of the deploy
	HourAfter  int64     // and in the 60 from that minute on
}
