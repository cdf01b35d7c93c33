package move

import (
	"context"

	"sett/internal/sett"
)

// Build is what was built at a time: the files of a release, or those that were uploaded together.
type Build struct {
	ID        string   // path at the source
	Name      string   // for people
	Revisions []string // of the code, the newest first; none if it is known by debug ids alone
	Files     []File
	More      bool // it has more files than are listed
}

// File is a file of a build.
type File struct {
	ID      string // at the source, in its build
	Version string // of its content; "" if that never changes
	Kind    FileKind
	URL     string // as programs know it, such as ~/static/app.js
	Map     string // of minified code: the source map that it names; "" for none
	DebugID string
	Size    int64 // bytes, as the source says
}

// FileKind is what is in a file.
type FileKind string

// The kinds.
const (
	SourceMapFile FileKind = "source_map"
	MinifiedFile  FileKind = "minified_source"
	OtherFile     FileKind = "source"
)

// MostFiles is how many files of a build are listed.
const MostFiles = 2000

// NoBuilds is the part of a source that shows no source maps.
type NoBuilds struct{}

// Builds returns nothing.
func (NoBuilds) Builds(context.Context, Project) ([]Build, []Left, error) { return nil, nil, nil }

// File finds none.
func (NoBuilds) File(_ context.Context, _ Project, _ Build, f File, _ int) ([]byte, error) {
	return nil, sett.Errorf(sett.NotFound, "There is no file %s.", f.ID)
}
