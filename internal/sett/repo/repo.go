// Package repo knows source control: the repositories of a project, their commits, and the changes (pull or merge requests) that people
// propose there. It reads what messages say they fix, knows which path a file of a trace has in a repository, and chooses the commit that an
// error most likely came from. It is pure: it asks no host and stores nothing.
package repo

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Host is a kind of server that holds repositories.
type Host string

// The hosts that sett works with.
const (
	GitHub    Host = "github"
	GitLab    Host = "gitlab"
	Gitea     Host = "gitea" // and Forgejo
	Bitbucket Host = "bitbucket"
)

// Hosts are all kinds of hosts, in the order in which people are asked.
var Hosts = []Host{GitHub, GitLab, Gitea, Bitbucket}

// SaysForced reports whether webhooks of the host say that a push was forced. Without that, the order of commits is not known from pushes.
func (h Host) SaysForced() bool { return h == GitHub || h == Bitbucket }

// Repository is a repository whose program is a project of sett. A repository of several programs is one Repository in each project, each
// with the path of its program.
type Repository struct {
	ID            int64
	ProjectID     int64
	Host          Host
	URL           string // where people see it, such as https://github.com/acme/shop: without a slash or ".git" at its end
	Path          string // of the program below the root, such as "services/shop"; "" for all
	DefaultBranch string // "" while unknown
	Token         string // with which sett asks the host; "" for none: then sett knows only what webhooks say
	Secret        string // with which the host signs webhooks
	Comments      bool   // whether sett comments on a change when a release with it brings a new error
	CreatedAt     time.Time
	HeardAt       time.Time // of the last webhook; zero: none came
	AskedAt       time.Time // when sett last asked the host for all that it keeps up to date; zero: never
	Problem       string    // why that failed; "" if it did not
	Owners        string    // its file CODEOWNERS; "" if it has none, or it was not read
}

// Commit is a commit of a repository.
type Commit struct {
	SHA     string
	Message string // whole, as far as the host says it
	Author  string // name
	Email   string // "" if unknown
	At      time.Time
	URL     string
	Files   []string // paths that it touches; nil if unknown
}

// State is where a change stands.
type State string

// The states of changes.
const (
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed" // without being merged
)

// Checks is what the checks (CI) of a change's newest commit say.
type Checks string

// The results of checks.
const (
	ChecksUnknown Checks = "" // the host does not say, or was not asked
	ChecksRunning Checks = "running"
	ChecksPassed  Checks = "passed"
	ChecksFailed  Checks = "failed"
)

// Change is a pull request or merge request.
type Change struct {
	Number    int64
	Title     string
	Body      string
	URL       string
	State     State
	Draft     bool
	Branch    string // that it comes from
	Target    string // branch that it goes to
	FromFork  bool   // whether its branch is in another repository, where other people can write
	HeadSHA   string // newest commit of its branch
	MergeSHA  string // commit on the target branch that brought it; "" unless merged. Squashed and rebased changes have a new one
	Author    string // name of the user at the host
	Email     string // of the author; "" as most hosts keep it secret
	Checks    Checks
	UpdatedAt time.Time // by the clock of the host: the newest of two deliveries wins
	MergedAt  time.Time // zero unless merged
}

// Push is what a webhook says of a branch that moved.
type Push struct {
	Branch   string
	Before   string   // "" for a new branch
	After    string   // "" for a deleted branch
	Forced   bool     // the old commits may be gone
	Commits  []Commit // oldest first
	Complete bool     // whether Commits are all of them, and Files of each all of its files
}

// Delivery is one webhook: what it says is in the part that is not nil. All nil: nothing that sett has a use for, such as a ping.
type Delivery struct {
	ID     string // that the host gave it, the same when it is sent again; "" if the host gives none
	Event  string // as the host calls it
	Trunk  string // the default branch of the repository; "" if the host does not say it
	Push   *Push
	Change *Change
	Checks *ChecksOf

	Repository string // address of the repository that the delivery is about: a webhook of an organization sends those of all its repositories
	More       []Push // further branches that the same delivery is about; only Bitbucket sends several at once
}

// ReadEvent is the event of what sett asked the host for itself, so that no webhook came.
const ReadEvent = "read by sett"

// ChecksOf says that the checks of a commit have a new result.
type ChecksOf struct {
	SHA       string
	Checks    Checks
	Name      string // of the one check that has this result: the others may differ, so ask the host; "" for all of them
	UpdatedAt time.Time
}

// Order says how two commits relate.
type Order string

// The orders of a head against a base.
const (
	Identical Order = "identical"
	Ahead     Order = "ahead"    // the head contains the base
	Behind    Order = "behind"   // the base contains the head
	Diverged  Order = "diverged" // neither contains the other
)

// Comparison is what lies between two commits.
type Comparison struct {
	Order    Order
	Commits  []Commit // in the head and not in the base, oldest first
	Complete bool     // whether Commits are all of them
	URL      string   // where people see it
}

// Blamed is a run of lines of a file, and the commit that changed them last.
type Blamed struct {
	From, To int // lines, from 1, both included
	Commit   Commit
}

// WebhookURL is the address to which the host sends its webhooks; base is the address at which clients reach sett.
func (r Repository) WebhookURL(base string) string {
	return fmt.Sprintf("%s/v1/repositories/%d/webhook", base, r.ID)
}

// IsAt reports whether an address is that of the repository. How the server is reached, and capital letters, do not matter.
func (r Repository) IsAt(address string) bool {
	a, b := pathOf(r.URL), pathOf(address)
	return a != "" && strings.EqualFold(a, b)
}

// pathOf returns the path of an address, also of one as git writes it: git@github.com:acme/shop.git.
func pathOf(address string) string {
	if server, path, ok := strings.Cut(address, ":"); ok && !strings.HasPrefix(path, "//") && !strings.Contains(server, "/") {
		address = "ssh://" + server + "/" + path
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
}

// Concerns reports whether a commit touches the program. One whose files are not known may.
func (r Repository) Concerns(c Commit) bool {
	return r.Path == "" || len(c.Files) == 0 || slices.ContainsFunc(c.Files, func(file string) bool { return strings.HasPrefix(file, r.Path+"/") })
}
