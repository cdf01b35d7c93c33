package webhook

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sett/internal/sett/repo"
)

// What is kept of a delivery at most: bytes of texts, and numbers of items.
const (
	mostName    = 200
	mostBranch  = 500
	mostTitle   = 1_000
	mostText    = 64 << 10 // of the description of a change, and the message of a commit
	mostPath    = 1_000
	mostAddress = 2_000
	mostCommits = 2_048
	mostFiles   = 3_000  // of a commit
	mostPaths   = 20_000 // of a push
)

// text returns a text without control characters but tabs and ends of lines, cut at a rune.
func text(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// line is text on one line.
func line(s string, most int) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", " ").Replace(text(s, most)))
}

// sha returns the id of a commit in lower case; "" for what is none, and for the zeros that stand for no commit.
func sha(s string) string {
	if len(s) < 7 || len(s) > 64 || strings.Trim(s, "0") == "" {
		return ""
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return ""
		}
	}
	return strings.ToLower(s)
}

// address returns an address that a page can link to; "" for any other.
func address(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > mostAddress || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return ""
	}
	return u.String()
}

// moment reads a time as any of the hosts writes it; zero for another.
func moment(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"} {
		if at, err := time.Parse(layout, s); err == nil && at.Year() > 1970 && at.Year() < 9999 {
			return at.UTC()
		}
	}
	return time.Time{}
}

// when is a time that GitHub writes as a text, and in pushes of some versions as seconds.
type when struct{ time.Time }

// UnmarshalJSON reads a text or a number; anything else is no time.
func (w *when) UnmarshalJSON(b []byte) error {
	if seconds, err := strconv.ParseInt(string(b), 10, 64); err == nil && seconds > 0 && seconds < 1<<37 {
		w.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	w.Time = moment(strings.Trim(string(b), `"`))
	return nil
}

// email returns an email address; "" for what a host writes in its place.
func email(s string) string {
	s = line(s, mostName)
	if !strings.Contains(s, "@") || strings.ContainsAny(s, " <>") {
		return ""
	}
	return s
}

// bounded completes a push with its commits, the oldest first, within the bounds.
func bounded(p repo.Push, commits []repo.Commit, complete bool) repo.Push {
	if n := len(commits); n > 1 && commits[0].SHA == p.After && commits[n-1].SHA != p.After { // newest first, as Gitea and Bitbucket list them
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			commits[i], commits[j] = commits[j], commits[i]
		}
	}
	if len(commits) > mostCommits {
		commits, complete = commits[len(commits)-mostCommits:], false
	}
	paths := 0
	for i, c := range commits {
		keep := max(0, min(len(c.Files), mostFiles, mostPaths-paths))
		if keep < len(c.Files) {
			commits[i].Files, complete = c.Files[:keep], false
		}
		paths += keep
	}
	p.Commits, p.Complete = commits, complete
	return p
}

// paths joins lists of paths of a commit.
func paths(lists ...[]string) (all []string) {
	all = []string{}
	for _, list := range lists {
		for _, p := range list {
			if p = line(p, mostPath); p != "" && len(all) <= mostFiles {
				all = append(all, p)
			}
		}
	}
	return all
}
