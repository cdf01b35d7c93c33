// Package unminify finds where the frames of minified JavaScript come from. It takes the backtrace of an event, its revision and the debug
// IDs of its files. For each frame it returns the original file, line, column, function and source, or the reason why no source map
// applies. Decoded maps are kept in memory within a bound, one map is decoded at a time, and a caller decides how long it waits. The
// package fetches no URL, changes no event, and never runs what a map contains.
package unminify

import (
	"path"
	"strings"

	"sett/internal/event/origin"
	"sett/internal/event/payload"
	"sett/internal/event/sourcemap"
	"sett/internal/store/sourcemapdb"
)

// Build is what the code of an event was built as.
type Build struct {
	ProjectID int64
	Revision  string
	Root      string            // what [PROJECT_ROOT] stands for; "" if the event does not say
	DebugIDs  map[string]string // by URL, as CleanURL returns it
}

// BuildOf returns the build that a notice says it comes from.
func BuildOf(project int64, p payload.Payload) Build {
	b := Build{ProjectID: project, Revision: p.Environment.Revision, Root: p.Environment.ProjectRoot.Path}
	b.DebugIDs = DebugIDs(payload.ObjectIn(p.Details, "debug_meta"))
	return b
}

// mostDebugIDs is how many files of an event may have debug IDs.
const mostDebugIDs = 200

// DebugIDs returns the debug IDs of files, by URL, from what clients of Sentry send as debug_meta.
func DebugIDs(meta map[string]any) map[string]string {
	images, _ := meta["images"].([]any)
	ids := map[string]string{}
	for _, image := range images[:min(len(images), mostDebugIDs)] {
		image, _ := image.(map[string]any)
		file, _ := image["code_file"].(string)
		id, _ := image["debug_id"].(string)
		if id = sourcemap.CleanDebugID(id); file != "" && id != "" {
			ids[sourcemap.CleanURL(file)] = id
		}
	}
	return ids
}

// Frame is a line of a backtrace as a client sent it.
type Frame struct {
	File, Method string
	Line, Column int // from 1; 0: unknown
}

// Origin is where a frame comes from. If Reason is none or NoSource, File, Line, Column and Method are those of the original code.
type Origin struct {
	Frame         // of the original code; File is a path, as PathOf returns it
	Source        []sourcemap.Line
	Reason        Reason
	Map           sourcemapdb.Found // the map that applies; empty without one
	Minified      Frame
	enclosed      bool   // Method is that of the function around the position
	Ignored       bool   // the map says that the original file is not the application's
	URL, Revision string // what a map was looked for by
	Nearest       string // the uploaded URL that resembles URL most, if Reason is OtherURL
}

// Mapped reports whether the original position is known.
func (o Origin) Mapped() bool { return o.Reason == Found || o.Reason == NoSource }

// Vendored reports whether the original file is a library's.
func (o Origin) Vendored() bool {
	return o.Ignored || origin.Guess(o.File, o.Method) == origin.Vendored
}

// scripts are the ends of the names of files that may have source maps.
var scripts = []string{".js", ".mjs", ".cjs", ".bundle", ".jsbundle"}

// isScript reports whether a file is JavaScript that may be minified: a script, or a page in which one is.
func isScript(file string) bool {
	clean := sourcemap.CleanURL(file)
	if strings.HasPrefix(clean, "http://") || strings.HasPrefix(clean, "https://") {
		return true
	}
	if strings.HasPrefix(clean, "node:") {
		return false
	}
	for _, end := range scripts {
		if strings.HasSuffix(clean, end) {
			return true
		}
	}
	return false
}

// urlOf returns the URL of the file of a frame.
func (b Build) urlOf(file string) string {
	if rest, ok := strings.CutPrefix(file, "[PROJECT_ROOT]"); ok && b.Root != "" {
		file = strings.TrimSuffix(b.Root, "/") + rest
	}
	return sourcemap.CleanURL(file)
}

// PathOf returns the path of an original file in its repository, as far as the name in a map says it: "webpack://shop/./src/cart.js" and
// "..\\..\\src\\cart.js" are "src/cart.js".
func PathOf(source string) string {
	source = strings.ReplaceAll(source, `\`, "/") // of a build on Windows
	scheme, rest, ok := strings.Cut(source, "://")
	switch {
	case !ok:
		rest = source
	case strings.Contains(rest, "/./"): // webpack: the name before may be that of a package, such as @acme/shop
		_, rest, _ = strings.Cut(rest, "/./")
	default:
		_, rest, _ = strings.Cut(rest, "/")
		if scheme == "file" {
			rest = "/" + rest
		}
	}
	if strings.HasPrefix(scheme, "webpack") || !ok {
		rest, _, _ = strings.Cut(rest, "?") // the mark of a build, as in "src/App.vue?3f2a"
	}
	if rest == "" {
		return ""
	}
	rest = path.Clean(rest)
	for strings.HasPrefix(rest, "../") {
		rest = rest[len("../"):]
	}
	return rest
}
