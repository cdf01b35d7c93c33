package githost

import (
	"slices"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

// Way is how a change is merged.
type Way string

// The ways.
const (
	Merge  Way = "merge"
	Squash Way = "squash"
	Rebase Way = "rebase"
)

// change is a change, with the commits that it proposed when it was merged.
type change struct {
	repo.Change
	commits []string
}

// Open proposes a branch for main and returns the number of the change.
func (s *Server) Open(branch, title, body string) int64 {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	head := s.exists("refs/heads/" + branch)
	if head == "" {
		s.t.Errorf("there is no branch %s", branch)
	}
	number := int64(len(s.changes) + 1)
	s.changes = append(s.changes, &change{Change: repo.Change{
		Number: number, Title: title, Body: body, State: repo.Open, Branch: branch, Target: "main", HeadSHA: head, Author: "ada", UpdatedAt: s.now,
	}})
	return number
}

// Edit changes what is known of a change, such as its title, Draft or FromFork.
func (s *Server) Edit(number int64, how func(c *repo.Change)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	c := s.changes[number-1]
	how(&c.Change)
	c.UpdatedAt = s.now
}

// Close closes a change without merging it, and Reopen opens it again.
func (s *Server) Close(number int64) { s.Edit(number, func(c *repo.Change) { c.State = repo.Closed }) }

// Reopen opens a change that was closed.
func (s *Server) Reopen(number int64) { s.Edit(number, func(c *repo.Change) { c.State = repo.Open }) }

// Merge brings a change to main and returns the commit that did.
func (s *Server) Merge(number int64, way Way) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	c := s.update(s.changes[number-1])
	c.commits = strings.Fields(s.git("rev-list", "main.."+c.HeadSHA))
	s.checkout("main")
	switch way {
	case Squash:
		s.git("merge", "--quiet", "--squash", c.HeadSHA)
		s.git("commit", "--quiet", "--allow-empty", "-m", c.Title+"\n\n"+c.Body)
	case Rebase:
		for _, sha := range slices.Backward(c.commits) {
			s.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", sha)
		}
	default:
		s.git("merge", "--quiet", "--no-ff", "-m", "Merge branch '"+c.Branch+"'\n\n"+c.Title, c.HeadSHA)
	}
	c.State, c.MergeSHA, c.MergedAt, c.UpdatedAt = repo.Merged, s.git("rev-parse", "HEAD"), s.now, s.now
	return c.MergeSHA
}

// update gives an open change the newest commit of its branch.
func (s *Server) update(c *change) *change {
	if head := s.exists("refs/heads/" + c.Branch); head != "" && c.State == repo.Open {
		c.HeadSHA = head
	}
	return c
}

// change returns a change; nil if there is none.
func (s *Server) change(number int64) *change {
	if number < 1 || number > int64(len(s.changes)) {
		return nil
	}
	return s.update(s.changes[number-1])
}

// changesOf returns the changes that brought a commit, or propose it.
func (s *Server) changesOf(sha string) (found []*change) {
	for _, c := range s.changes {
		commits := c.commits
		if s.update(c); c.State != repo.Merged {
			commits = strings.Fields(s.git("rev-list", "main.."+c.HeadSHA))
		}
		if c.MergeSHA == sha || slices.Contains(commits, sha) {
			found = append(found, c)
		}
	}
	return found
}

func stamp(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Format(time.RFC3339)
}

// orNull returns null for an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
