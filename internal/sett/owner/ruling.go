package owner

import (
	"cmp"
	"slices"

	"sett/internal/event/payload"
	"sett/internal/sett/repo"
)

// mostOwnedFrames is how many frames are compared with CODEOWNERS files, the innermost first: the files have up to 5,000 rules.
const mostOwnedFrames = 20

// Ruling is all that says who owns the errors of a project: its own rules and, where none of them matches, the CODEOWNERS files of its
// repositories. It remembers the owners of paths, so it is for one goroutine.
type Ruling struct {
	own   Rules
	files []File
}

// File is the CODEOWNERS file of a repository.
type File struct {
	Repository repo.Repository
	Rules      Codeowners
	Problems   []string // sentences about the lines that are wrong, which are left out
	known      map[string][]string
}

// Verdict is who owns an error, and what says so.
type Verdict struct {
	Owners []string // as the rule writes them; none: the rule says that there is none
	Path   string   // what matched: the file of a frame, or its path in the repository
	Line   int      // of the project's own rule; 0 if a CODEOWNERS file decided
	From   string   // name of the repository whose CODEOWNERS file decided; "" for a rule of the project
}

// With returns the rules with those of the CODEOWNERS files of repositories. Repositories with the path of a program come first.
func (s Settings) With(repositories []repo.Repository) Ruling {
	r := Ruling{own: s.Parsed()}
	for _, at := range repositories {
		if at.Owners == "" {
			continue
		}
		f := File{Repository: at, known: map[string][]string{}}
		f.Rules, f.Problems = ParseCodeowners(at.Host, at.Owners)
		r.files = append(r.files, f)
	}
	slices.SortStableFunc(r.files, func(a, b File) int { return cmp.Compare(shared(a.Repository), shared(b.Repository)) })
	return r
}

func shared(r repo.Repository) int {
	if r.Path == "" {
		return 1
	}
	return 0
}

// Files returns the CODEOWNERS files that were read.
func (r Ruling) Files() []File { return r.files }

// FileState is where the CODEOWNERS file of a repository stands.
type FileState string

// The states of CODEOWNERS files.
const (
	InForce   FileState = "in_force"  // it decides where no rule of the project does, even if it could not be read again since
	Overruled FileState = "overruled" // a rule "*" of the project leaves it nothing to decide
	NoFile    FileState = "none"      // the repository had no such file
	Failed    FileState = "failed"    // the host gave no answer
	NoToken   FileState = "no_token"  // sett has nothing to ask the host with
	Unread    FileState = "unread"    // sett has not asked yet
)

// StateOf returns where the CODEOWNERS file of a repository of the project stands.
func (r Ruling) StateOf(at repo.Repository) FileState {
	switch {
	case at.Owners != "" && r.own.decideAll():
		return Overruled
	case at.Owners != "":
		return InForce
	case at.Token == "":
		return NoToken
	case at.Problem != "":
		return Failed
	case at.AskedAt.IsZero():
		return Unread
	}
	return NoFile
}

// Find returns who owns what a notice reports; ok is false if nothing says it. A CODEOWNERS file decides about the innermost frame of the
// application whose path has owners in it.
func (r Ruling) Find(n payload.Payload) (v Verdict, ok bool) {
	frames := repo.FramesOf(n)
	if rule, ok := r.own.Find(frames, n.Request.Component); ok {
		v = Verdict{Owners: rule.Owners, Line: rule.Line}
		if len(frames) > 0 {
			v.Path = frames[0].File
		}
		return v, true
	}
	if len(r.files) == 0 {
		return v, false
	}
	for _, frame := range frames[:min(len(frames), mostOwnedFrames)] {
		for _, f := range r.files {
			for _, path := range f.Repository.PathsOf(frame.File, n.Environment.ProjectRoot.Path) {
				if owners := f.owners(path); len(owners) > 0 {
					return Verdict{Owners: owners, Path: path, From: f.Repository.Name()}, true
				}
			}
		}
	}
	return v, false
}

func (f File) owners(path string) []string {
	owners, known := f.known[path]
	if !known {
		owners = f.Rules.Owners(path)
		f.known[path] = owners
	}
	return owners
}
