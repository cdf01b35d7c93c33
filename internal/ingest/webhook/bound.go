package webhook

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

// What is kept of a push at most, beside the bounds of package repo.
const (
	mostCommits  = 2_048
	mostPaths    = 20_000 // of all commits
	mostBranches = 100
)

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

// bounded completes a push with its commits, the oldest first, within the bounds.
func bounded(p repo.Push, commits []repo.Commit, complete bool) repo.Push {
	if n := len(commits); n > 1 && commits[0].SHA == p.After && commits[n-1].SHA != p.After { // newest first, as Gitea and Bitbucket list them
		slices.Reverse(commits)
	}
	if len(commits) > mostCommits {
		commits, complete = commits[len(commits)-mostCommits:], false
	}
	paths := 0
	for i, c := range commits {
		if paths += len(c.Files); paths > mostPaths {
			commits[i].Files = nil
		}
		complete = complete && commits[i].Files != nil
	}
	p.Commits, p.Complete = commits, complete
	return p
}

// paths joins lists of paths of a commit.
func paths(lists ...[]string) (all []string) {
	all = []string{}
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
