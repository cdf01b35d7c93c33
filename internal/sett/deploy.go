package sett

import (
	"net/url"
	"strings"
	"time"
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
