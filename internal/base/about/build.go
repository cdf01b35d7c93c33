// Package about says which sett this is, and under which licenses its parts are. What comes in is what the build recorded: the version of the
// source in the file VERSION, what the linker was given for a release, and what version control knew. What comes out is a Build. A program
// that was built without version control still knows the version of its source.
package about

import (
	"bytes"
	_ "embed"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// source is the version that the next release of this source has.
//
//go:embed VERSION
var source string

// archived has the commit, its date and its tag in an archive that git archive wrote, such as those that forges offer.
//
//go:embed archived
var archived string

// released is the version of a release. The linker sets it: -X sett/internal/base/about.released=0.11.0.
var released string

// Build is what is known of a program.
type Build struct {
	Version string `json:"version"`  // such as 0.11.0, or 0.11.0-dev if it is not of a release
	Commit  string `json:"commit"`   // "" if it was built outside of version control
	Date    string `json:"date"`     // of the commit, as of RFC 3339
	Changed bool   `json:"modified"` // that the source had changes that are not in the commit
	Go      string `json:"go"`       // the version of Go, such as go1.26.9
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// Current returns what is known of this program.
var Current = sync.OnceValue(func() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	return read(recorded{strings.TrimSpace(released), strings.TrimSpace(source), strings.TrimSpace(archived)}, info)
})

// Named returns a text of the source, such as a chapter of the manual, with the version of a release where it has that of the source: in the
// names of files. Other programs keep the names of the next release.
func Named(text []byte) []byte {
	if strings.HasSuffix(Current().Version, "-dev") {
		return text
	}
	return bytes.ReplaceAll(text, []byte(strings.TrimSpace(source)), []byte(Current().Version))
}

// recorded is what the source and the linker say.
type recorded struct{ released, source, archived string }

// tagged is the version that Go records of a commit with a tag, and of no other: not of one after it, nor of one with changes.
var tagged = regexp.MustCompile(`^v(\d+\.\d+\.\d+(-[a-z]+[0-9.]*)?)$`)

func read(r recorded, info *debug.BuildInfo) Build {
	b := Build{Version: r.source + "-dev", Go: info.GoVersion, OS: runtime.GOOS, Arch: runtime.GOARCH}
	tag := info.Main.Version
	if in := strings.Fields(r.archived); len(in) > 1 && !strings.HasPrefix(in[0], "$Format") {
		b.Commit, b.Date = in[0], in[1]
		if len(in) == 3 {
			tag = in[2]
		}
	}
	if of := tagged.FindStringSubmatch(tag); of != nil {
		b.Version = of[1]
	}
	if r.released != "" {
		b.Version = r.released
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}
