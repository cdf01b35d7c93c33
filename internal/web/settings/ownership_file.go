package settings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
	"sett/internal/web"
)

// mostUnknownShown is how many unknown owners of a CODEOWNERS file are named: a large organization has thousands.
const mostUnknownShown = 20

// ownersFile is what the page says of the CODEOWNERS file of a repository.
type ownersFile struct {
	State    string // a sentence or two: where the rules come from, or what to do to get them
	Problems []string
	Unknown  string // owners that are not known, as text; "" for none
}

// newOwnersFiles describes the CODEOWNERS files of all repositories of a project. One that several programs share is described once.
func newOwnersFiles(now time.Time, all []repo.Repository, ruling owner.Ruling, d owner.Directory) (shown []ownersFile) {
	seen := map[string]bool{}
	for _, at := range all {
		file := at.URL + " " + at.Owners
		if seen[file] {
			continue
		}
		seen[file] = true
		f := ownersFile{State: ownersState(now, at)}
		if i := slices.IndexFunc(ruling.Files(), func(f owner.File) bool { return f.Repository.ID == at.ID }); i >= 0 {
			read := ruling.Files()[i]
			f.State = phrase.Count(int64(read.Rules.Size()), "rule") + " " + f.State
			f.Problems, f.Unknown = read.Problems, named(d.Resolve(read.Rules.Names()).Unknown)
		}
		shown = append(shown, f)
	}
	return shown
}

// named joins names, the first of them if there are many.
func named(names []string) string {
	if more := len(names) - mostUnknownShown; more > 0 {
		return strings.Join(names[:mostUnknownShown], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// ownersState says how a CODEOWNERS file is kept up to date, or why there is none. If there is one, the number of its rules stands before it.
func ownersState(now time.Time, r repo.Repository) string {
	has, name := r.Owners != "", r.Name()
	switch {
	case has && r.Token == "":
		return "from CODEOWNERS of " + name + ". The repository has no token now, so the file is not kept up to date. Enter one under Repositories."
	case has && r.Problem != "":
		return "from CODEOWNERS of " + name + ". sett could not ask the host since: " + r.Problem
	case has:
		return "from CODEOWNERS of " + name + ", read " + web.Ago(now, r.AskedAt) + "."
	case r.Token == "":
		return "sett cannot read CODEOWNERS of " + name + " without a token. Enter one under Repositories."
	case r.Problem != "":
		return "sett could not read CODEOWNERS of " + name + ": " + r.Problem
	case r.AskedAt.IsZero():
		return "sett reads CODEOWNERS of " + name + " soon."
	}
	return name + " had no CODEOWNERS file " + web.Ago(now, r.AskedAt) + ". Every day, sett looks in its default branch for " + strings.Join(repo.OwnersFiles(r.Host), ", ") + "."
}
