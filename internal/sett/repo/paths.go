package repo

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"sett/internal/event/payload"
)

// MostPlaces is how many lines of a trace are looked at, the innermost first.
const MostPlaces = 5

// Frame is a line of a trace as the client reported it, in the application.
type Frame struct {
	File string
	Line int // 0 if unknown
}

// FramesOf returns the frames of a notice that are of the application, innermost first; all frames if none is said to be.
func FramesOf(p payload.Payload) (frames []Frame) {
	all := p.ApplicationTrace
	if len(all) == 0 {
		all = p.Backtrace
	}
	for _, f := range all {
		one := Frame{File: f.File}
		if f.ApplicationFile != "" {
			one.File = f.ApplicationFile
		}
		if f.Number != nil && *f.Number > 0 {
			one.Line = *f.Number
		}
		if dot := strings.LastIndexByte(f.Class, '.'); dot > 0 && !strings.ContainsAny(f.File, `/\`) { // Java names a file without its package
			one.File = strings.ReplaceAll(f.Class[:dot], ".", "/") + "/" + f.File
		}
		frames = append(frames, one)
	}
	return frames
}

// Root says how files of traces are called in the repository: Frame is the beginning of the one, and Tree that of the other. The zero value
// says nothing.
type Root struct{ Frame, Tree string }

// Miss is why a file of a trace has no path in the repository.
type Miss string

// The reasons for that.
const (
	Absent    Miss = "absent"    // no file of the repository ends like it
	Ambiguous Miss = "ambiguous" // several files end like it
	Unseen    Miss = "unseen"    // none does of those that are known, but not all are known
)

// Tree are the files of a repository at a commit.
type Tree struct {
	byName   map[string][]string // by the last part of the path
	complete bool
}

// NewTree returns the tree with some files; complete says whether it has no others.
func NewTree(paths []string, complete bool) Tree {
	t := Tree{map[string][]string{}, complete}
	for _, p := range paths {
		t.byName[path.Base(p)] = append(t.byName[path.Base(p)], p)
	}
	return t
}

// Find returns the path of a file of a trace: the one that has the most directories in common with it, from the end. Of several, one below
// the path of the program is preferred; otherwise there is no answer. root is what earlier answers have shown, and the one that this answer
// shows is returned.
func (t Tree) Find(file, program string, root Root) (found string, shown Root, miss Miss) {
	file, program = Cleaned(file), strings.Trim(program, "/")
	candidates := t.byName[path.Base(file)]
	if rest, ok := strings.CutPrefix(file, root.Frame); ok && root != (Root{}) && slices.Contains(candidates, root.Tree+rest) {
		return root.Tree + rest, root, ""
	}
	most, best := 0, []string(nil)
	for _, p := range candidates {
		n := inCommon(file, p)
		if n == 1 && strings.Contains(file, "/") && strings.Contains(below(p, program), "/") {
			continue // only the name is the same
		}
		if n > most {
			most, best = n, nil
		}
		if n == most {
			best = append(best, p)
		}
	}
	switch {
	case len(best) == 0 && !t.complete:
		return "", Root{}, Unseen
	case len(best) == 0 || file == "":
		return "", Root{}, Absent
	case len(best) > 1:
		if best = preferred(best, file, program); len(best) != 1 {
			return "", Root{}, Ambiguous
		}
	}
	end := strings.Join(strings.Split(best[0], "/")[strings.Count(best[0], "/")+1-most:], "/")
	return best[0], Root{strings.TrimSuffix(file, end), strings.TrimSuffix(best[0], end)}, ""
}

// preferred returns those of the program, if there are any, or the one that is called exactly so.
func preferred(paths []string, file, program string) (own []string) {
	for _, p := range paths {
		if program == "" && p == file || program != "" && below(p, program) != p {
			own = append(own, p)
		}
	}
	return own
}

// below returns a path without the directory of the program.
func below(p, program string) string {
	if program == "" {
		return p
	}
	return strings.TrimPrefix(p, program+"/")
}

// inCommon returns how many parts two paths have in common, from the end.
func inCommon(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// Cleaned returns the path in an address, or of a file on any system.
func Cleaned(file string) string {
	if u, err := url.Parse(file); err == nil && len(u.Scheme) > 1 {
		file = u.Path // of webpack:///./src/cart.ts and https://shop.example.org/app.js?v=1
		if u.Opaque != "" {
			file = u.Opaque
		}
	}
	file = strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "[PROJECT_ROOT]")
	if len(file) > 1 && file[1] == ':' { // a drive
		file = file[2:]
	}
	if file = strings.TrimPrefix(path.Clean("/"+file), "/"); file == "." {
		return ""
	}
	return file
}

// Place is a line of the repository that a trace goes through.
type Place struct {
	Frame int // of the application: 0 is the innermost
	Path  string
	Line  int // 0 if unknown
}

// Missed is a frame whose file has no path in the repository.
type Missed struct {
	Frame int
	File  string
	Why   Miss
}

// Places returns where in the repository the innermost frames of a trace are, each line once, and which of them are not found. The root is
// what the last answer has shown.
func (t Tree) Places(frames []Frame, program string, root Root) (places []Place, missed []Missed, shown Root) {
	for i, f := range frames[:min(len(frames), 10*MostPlaces)] {
		found, now, miss := t.Find(f.File, program, root)
		if miss != "" {
			missed = append(missed, Missed{i, f.File, miss})
			continue
		}
		root = now
		same := func(p Place) bool { return p.Path == found && p.Line == f.Line }
		if !slices.ContainsFunc(places, same) {
			places = append(places, Place{i, found, f.Line})
		}
		if len(places) == MostPlaces {
			break
		}
	}
	return places, missed, root
}
