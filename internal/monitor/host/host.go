// Package host asks hosts of source control about a repository: GitHub, GitLab, Gitea or Forgejo, and Bitbucket. It takes a client of package
// dial and a repository with its token, and returns commits, comparisons, who changed a line last, files and changes in the terms of package
// repo. Answers are bounded, redirects are not followed, and every failure is an *Error with a sentence that says what to do. It writes
// nothing at a host but comments on changes, each once. It stores nothing, and never shows what an answer says beyond these facts.
package host

import (
	"context"
	"net/http"
	"slices"
	"time"

	"sett/internal/sett/repo"
)

// What is asked of a host at most.
const (
	MostCommits = 1_000 // of a comparison
	MostFiles   = repo.MostFiles
	MostFile    = 3 << 20 // bytes of a file
	MostPaths   = 100_000 // of a tree
	perPage     = 100
)

// Host answers about one repository. Commits are named by their ids, or by the names of branches and tags.
type Host interface {
	// Check tries whether the token can read the code, and returns the default branch.
	Check(ctx context.Context) (defaultBranch string, err error)
	// Compare returns what head has and base has not. The commits have no files: see WithFiles.
	Compare(ctx context.Context, base, head string) (repo.Comparison, error)
	// Commit returns a commit with its files; nil if it has more than MostFiles.
	Commit(ctx context.Context, sha string) (repo.Commit, error)
	// Blame returns who changed lines of a file last, as it was in a commit. The runs may go beyond the lines that were asked for.
	Blame(ctx context.Context, sha, path string, from, to int) ([]repo.Blamed, error)
	// File returns a file as it was in a commit, up to MostFile.
	File(ctx context.Context, sha, path string) ([]byte, error)
	// Tree returns the paths of all files of a commit; complete is false when there are more than the host or MostPaths let one see.
	Tree(ctx context.Context, sha string) (paths []string, complete bool, err error)
	// Change returns a change. Its checks are not among what is asked: see Checks.
	Change(ctx context.Context, number int64) (repo.Change, error)
	// ChangesOf returns the changes that brought a commit, or propose it.
	ChangesOf(ctx context.Context, sha string) ([]repo.Change, error)
	// Checks returns the result of all checks of a commit.
	Checks(ctx context.Context, sha string) (repo.Checks, error)
	// Comment writes a comment on a change, or changes that which it wrote with the same key before.
	Comment(ctx context.Context, number int64, key, text string) error
}

// Client sends a request; that of a dial.Dialer is one, which does not follow redirects.
type Client interface {
	Do(request *http.Request) (*http.Response, error)
}

// New returns the host of a repository without anything that is remembered: see Memory.Open.
func New(client Client, r repo.Repository, now func() time.Time) (Host, error) {
	return NewMemory(client, now).Open(r)
}

// WithFiles asks for the files of the newest commits of a comparison, at most so many, and returns it with them. Commits beyond have none.
func WithFiles(ctx context.Context, h Host, c repo.Comparison, most int) (repo.Comparison, error) {
	c.Commits = slices.Clone(c.Commits)
	for i := len(c.Commits) - 1; i >= max(0, len(c.Commits)-most); i-- {
		if c.Commits[i].Files != nil {
			continue
		}
		one, err := h.Commit(ctx, c.Commits[i].SHA)
		if err != nil {
			return c, err
		}
		c.Commits[i].Files = one.Files
	}
	return c, nil
}
