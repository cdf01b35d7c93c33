package repo

import (
	"fmt"
	"strings"
	"time"
)

// Prefix is what stands before the id of an error in messages, as in SETT-123.
const Prefix = "SETT"

// FixState is what became of a fix.
type FixState string

// The states of fixes.
const (
	Waiting  FixState = ""         // not deployed, or not merged
	Deployed FixState = "deployed" // a deploy that contains it resolved the error
	Reverted FixState = "reverted" // a later commit took it back
)

// Fix says that a change or a commit is about an error.
type Fix struct {
	RepositoryID int64
	ProjectID    int64
	FaultID      int64  // as it was written: the error may have been merged into another since
	Number       int64  // of the change; 0: a commit says it
	SHA          string // of the commit that says it; "" for a change
	Branch       string // of the commit
	Title        string // of the change, or the first line of the commit
	Author       string
	URL          string
	Fixes        bool // or only mentions the error
	ByHand       bool // a user linked it
	State        FixState
	LandedSHA    string // commit that a deploy must contain; "" while it is not merged
	RevertedBy   string // commit that took it back
	Release      string // revision whose deploy resolved the error
	CreatedAt    time.Time
	Change       *Change // nil for a commit
}

// Landing returns the commit that a deploy must contain.
func (f Fix) Landing() string {
	if f.LandedSHA == "" {
		return f.SHA
	}
	return f.LandedSHA
}

// IsOpen reports whether people work on it: nothing else needs to be started for the error.
func (f Fix) IsOpen() bool { return f.Change != nil && f.Change.State == Open }

// Name is what people call the change or commit, such as "#12", "!12" or "4f2a9c1".
func (f Fix) Name(host Host) string {
	switch {
	case f.Number > 0 && host == GitLab:
		return fmt.Sprintf("!%d", f.Number)
	case f.Number > 0:
		return fmt.Sprintf("#%d", f.Number)
	default:
		return Short(f.SHA)
	}
}

// Standing says in a few words where the fix stands.
func (f Fix) Standing() string {
	switch {
	case f.State == Deployed:
		return "deployed in " + Short(f.Release)
	case f.Number > 0 && f.Change == nil:
		return "not read from its host yet"
	case f.State == Reverted:
		return "reverted by " + Short(f.RevertedBy)
	case f.Change != nil && f.Change.State == Closed:
		return "closed without a merge"
	case f.LandedSHA != "" && f.Fixes:
		return "merged, waits for a deploy"
	case f.LandedSHA != "":
		return "merged"
	case f.Change != nil && f.Change.Draft:
		return "draft"
	case f.Change != nil:
		return "open"
	default:
		return "on the branch " + f.Branch
	}
}

// Short returns the beginning of a commit's id, as people write it. Other revisions, such as v1.2.3, stay as they are.
func Short(revision string) string {
	const short, whole = 7, 40
	if len(revision) < whole || strings.Trim(revision, "0123456789abcdef") != "" {
		return revision
	}
	return revision[:short]
}

// Finding is what was found when the commit was looked for that an error most likely came from.
type Finding struct {
	FaultID      int64
	ProjectID    int64
	RepositoryID int64 // 0: no commit was found
	Outcome      Outcome
	Commit       Commit // without its files
	Change       int64  // number of the change that brought it; 0: unknown
	Why          string // sentences: why it is this one, or why there is none
	Revision     string // at which was looked
	FoundAt      time.Time
}

// WorkKind is a kind of what is yet to be compared with repositories.
type WorkKind string

// The kinds of work.
const (
	DeployWork WorkKind = "deploy" // which commits it brought, and which errors it resolves
	FaultWork  WorkKind = "fault"  // which commit it most likely came from

	RepositoryWork WorkKind = "repository" // whether the token works, who owns what, and where open changes stand
)

// Work is a deploy or an error that is yet to be compared with the repositories of its project.
type Work struct {
	Kind      WorkKind
	SubjectID int64
	ProjectID int64
	Tries     int64
}

// MostTries is how often work is tried until it is given up: over about a day.
const MostTries = 12

// Delay returns how long a piece of work waits after so many tries that failed.
func (w Work) Delay() time.Duration {
	return min(time.Minute<<min(w.Tries, 10), 4*time.Hour)
}

// EachOnce returns fixes with each change and commit once, in their order. Of several links with a change, one that fixes wins.
func EachOnce(all []Fix) (once []Fix) {
	type key struct {
		repository, number int64
		sha                string
	}
	seen := map[key]int{}
	for _, f := range all {
		k := key{f.RepositoryID, f.Number, f.SHA}
		if f.Number > 0 {
			k.sha = ""
		}
		i, known := seen[k]
		switch {
		case !known:
			seen[k] = len(once)
			once = append(once, f)
		case f.Fixes && !once[i].Fixes:
			once[i] = f
		}
	}
	return once
}

// SameCommit reports whether two ids are of one commit. Either may be shortened, to seven characters at least.
func SameCommit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b && a != "" || len(a) >= 7 && strings.HasPrefix(b, a)
}
