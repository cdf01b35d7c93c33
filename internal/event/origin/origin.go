// Package origin says whose code a frame of a backtrace runs: the application's, or that of a library, a runtime or a tool. It takes what a client
// says about a frame and its file and method, and returns an Origin. What counts as a library stands in the tables of data/, one for each ecosystem,
// each with its sources; the code knows only shapes of paths and names. The package never reads a file system and never changes a frame.
package origin

import "strings"

// Origin says whose code a frame of a backtrace runs, from the least to the most certainly the application's.
type Origin int

// The origins. Clients differ in what they say: some mark frames, some put [PROJECT_ROOT] before paths of the project, some send bare paths.
const (
	Vendored  Origin = iota // a library's, the runtime's, or unknown
	Unmarked                // nothing is said, and neither path nor name is known to be a library's
	InProject               // the path begins with [PROJECT_ROOT]/ and does not lead into a library
	Marked                  // the client says context "app"
)

// IsApp reports whether a frame of origin o is an application frame of a backtrace whose highest origin is best: where a client marks frames, or project
// paths, frames without the mark are not the application's.
func (o Origin) IsApp(best Origin) bool { return o == best && o > Vendored }

// Of returns the origin of a frame from its context ("app", "all" or ""), file and method.
func Of(context, file, method string) Origin {
	switch context {
	case "app":
		return Marked
	case "all":
		return Vendored
	}
	return Guess(file, method)
}

// Tally counts what a client says of the frames of a backtrace. It is doubted if it marks all of them as the application's, or none: clients do so that
// do not know.
type Tally struct {
	frames, marked, said int
	guessed              Origin // the highest
}

// Add takes in a frame, and returns its origin by what the client says, and without that.
func (t *Tally) Add(context, file, method string) (said, guessed Origin) {
	t.frames++
	if context == "app" {
		t.marked++
	}
	guessed = Guess(file, method)
	t.guessed = max(t.guessed, guessed)
	if context == "" {
		return guessed, guessed
	}
	t.said++
	return Of(context, file, method), guessed
}

// Doubts reports whether the guesses decide.
func (t *Tally) Doubts() bool {
	return t.guessed > Vendored && (t.marked == 0 && t.said == t.frames || t.marked == t.frames && t.frames > 1)
}

// FullName is the name of a method with that of its class, where a client sends both.
func FullName(class, method string) string {
	switch {
	case class == "" || method == "" || strings.HasPrefix(method, class):
		return method
	case strings.Contains(class, `\`):
		return class + "::" + method // PHP's
	default:
		return class + "." + method
	}
}

// Frame is what Apps looks at of a frame.
type Frame struct{ Context, File, Method string }

// Apps reports of each frame of a backtrace whether it is an application frame.
func Apps(frames []Frame) []bool {
	var tally Tally
	said, guessed := make([]Origin, len(frames)), make([]Origin, len(frames))
	for i, f := range frames {
		said[i], guessed[i] = tally.Add(f.Context, f.File, f.Method)
	}
	origins := said
	if tally.Doubts() {
		origins = guessed
	}
	best := Vendored
	for _, o := range origins {
		best = max(best, o)
	}
	apps := make([]bool, len(frames))
	for i, o := range origins {
		apps[i] = o.IsApp(best)
	}
	return apps
}

// Guess is Of where the client does not say, or is doubted.
func Guess(file, method string) Origin {
	switch {
	case file == "":
		return ofName(method)
	case method == "**unknown**": // Crystal's, for a frame without debug information
		return Vendored
	}
	file = strings.ReplaceAll(file, `\`, "/")
	rest, inProject := strings.CutPrefix(file, "[PROJECT_ROOT]/")
	switch l := languageOf(rest); {
	case isLibraryPath(l, rest), l.hasName(method):
		return Vendored
	case inProject:
		return InProject
	default:
		return Unmarked
	}
}

// ofName is the origin of a frame without a file. A name alone is the application's only if it is a qualified one that no table knows: functions of
// runtimes come without a file and with a bare name.
func ofName(method string) Origin {
	if !isQualified(method) {
		return Vendored
	}
	for _, l := range tables.languages {
		if l.hasName(method) {
			return Vendored
		}
	}
	return Unmarked
}

// isQualified reports whether a name has "." or "::" within, and is no line of a text.
func isQualified(name string) bool {
	if strings.ContainsAny(name, " /\\") {
		return false
	}
	plain := strings.ReplaceAll(name, "::", ".")
	return !strings.Contains(plain, ":") && strings.Contains(strings.Trim(plain, "."), ".")
}

// languageOf returns the table for the files with an extension; an address may have a query or a fragment behind it. A file without one is a
// script's if it has a scheme, and machine code else.
func languageOf(file string) *language {
	scheme := strings.IndexByte(file, ':')
	if i := strings.IndexAny(file, "?#"); i >= 0 {
		file = file[:i]
	}
	name := file[strings.LastIndexByte(file, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		if l := tables.byExtension[name[i:]]; l != nil {
			return l
		}
	}
	if scheme > 1 {
		return tables.byExtension[".js"]
	}
	return tables.native
}

// isLibraryPath reports whether a path is that of a library, a runtime or a tool, or none at all.
func isLibraryPath(l *language, file string) bool {
	if isNoPath(file) || tables.any.hasPath(file) || l.hasPath(file) {
		return true
	}
	if scheme, address, ok := strings.Cut(file, "://"); ok {
		if host, path, _ := strings.Cut(address, "/"); strings.HasPrefix(scheme, "http") {
			if l.hosts[host] {
				return true
			}
			file = "/" + path
		} else if _, path, ok := strings.Cut(address, "/./"); ok {
			file = path // webpack://name/./src/cart.ts
		} else {
			file = strings.TrimPrefix(path0(address), "/")
		}
		if l.hasPath(file) {
			return true
		}
	}
	return inLibrary(l, file)
}

// path0 is what follows the name of a bundle in an address that a bundler made: "webpack://kiosk/external ..".
func path0(address string) string {
	_, path, ok := strings.Cut(address, "/")
	if !ok {
		return address
	}
	return path
}

// isNoPath reports whether a file is what runtimes write where there is none.
func isNoPath(file string) bool {
	switch file[:min(len(file), 1)] {
	case "", "?":
		return true
	case "<":
		return !strings.HasPrefix(file, "<ipython-input-") && !strings.HasPrefix(file, "<stdin>") && file != "<string>"
	}
	return false
}

// inLibrary reports whether a directory on a path is one where package managers and runtimes keep code, or the file is one of theirs.
func inLibrary(l *language, file string) bool {
	parent, start := "", 0
	for i := range len(file) {
		if file[i] != '/' {
			continue
		}
		dir := file[start:i]
		if tables.any.hasDir(parent, dir) || l.hasDir(parent, dir) || isVersioned(dir) {
			return true
		}
		parent, start = dir, i+1
	}
	return l.hasFile(file[start:])
}

// isVersioned reports whether a directory is named after a module and its version, as caches of Go and npm name them: "otel@v1.38.0", "react@18.2.0_x".
func isVersioned(dir string) bool {
	i := strings.LastIndexByte(dir, '@')
	if i < 1 || i+1 == len(dir) {
		return false
	}
	version := strings.TrimPrefix(dir[i+1:], "v")
	return version != "" && '0' <= version[0] && version[0] <= '9'
}
