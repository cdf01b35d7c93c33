package payload

import (
	"slices"
	"strings"
)

// Origin says whose code a frame of a backtrace runs, from the least to the most certainly the application's.
type Origin int

// The origins. Clients differ in what they say: some mark frames, some put [PROJECT_ROOT] before paths of the project,
// some send bare paths.
const (
	Vendored  Origin = iota // a library's, the runtime's, or unknown
	Unmarked                // nothing is said and the path is not known to be a library's
	InProject               // the path begins with [PROJECT_ROOT]/ and does not lead into a library
	Marked                  // the client says context "app"
)

// IsApp reports whether a frame of origin o is an application frame of a backtrace whose highest origin is best: where
// a client marks frames, or project paths, frames without the mark are not the application's.
func (o Origin) IsApp(best Origin) bool { return o == best && o > Vendored }

// OriginOf returns the origin of a frame from its context ("app", "all" or ""), file and method. This is the one rule
// that grouping, searches and application traces share; it follows the recorded payloads of every client.
func OriginOf(context, file, method string) Origin {
	switch {
	case context == "app":
		return Marked
	case context == "all" || file == "" || vendoredMethod(file, method):
		return Vendored
	}
	rest, inProject := strings.CutPrefix(file, "[PROJECT_ROOT]/")
	switch {
	case vendoredPath(rest):
		return Vendored
	case inProject:
		return InProject
	default:
		return Unmarked
	}
}

// vendoredMethod recognizes such code by its name where the file is not enough: Go without module paths, the JDK, and the
// frames of Crystal that have no debug information.
func vendoredMethod(file, method string) bool {
	switch {
	case strings.HasSuffix(file, ".go") || strings.HasSuffix(file, ".s"):
		return hasAnyPrefix(method, "runtime.", "net/http.", "testing.", "reflect.")
	case strings.HasSuffix(file, ".java"):
		return hasAnyPrefix(method, "java.", "javax.", "jdk.", "sun.", "com.sun.")
	default:
		return method == "**unknown**"
	}
}

// vendoredPath reports whether a path is that of a library or a runtime.
func vendoredPath(file string) bool {
	switch file[:min(len(file), 1)] {
	case "", "[", "<", "?": // nothing, [GEM_ROOT], [NODE_MODULES], [internal function], <anonymous>, <frozen …>, ???
		return true
	case "/":
		if hasAnyPrefix(file, "/usr/lib/", "/lib/", "/lib64/", "/usr/share/", "/usr/local/go/src/", "/rustc/", "/buildroot/") {
			return true
		}
	default:
		if hasAnyPrefix(file, "node:", "internal/modules/", "internal/process/", "internal/main/", "webpack/", "chrome-extension:", "moz-extension:", "safari-extension:", "safari-web-extension:") {
			return true
		}
	}
	return vendoredDir(file)
}

// vendoredDir reports whether a directory on the path is one where package managers and runtimes keep code.
func vendoredDir(file string) bool {
	parent, start := "", 0
	for i := range len(file) {
		if file[i] != '/' && file[i] != '\\' {
			continue
		}
		dir := file[start:i]
		if isLibrary(parent, dir) {
			return true
		}
		parent, start = dir, i+1
	}
	return isClient(file[start:])
}

func isLibrary(parent, dir string) bool {
	switch dir {
	case "node_modules", "bower_components", "vendor", "site-packages", "dist-packages", "gems", ".cargo", "GOROOT", "$GOROOT":
		return true
	case "mod":
		return parent == "pkg" // $GOPATH/pkg/mod
	case "ruby", "rustlib":
		return parent == "lib"
	default:
		return parent == "lib" && hasAnyPrefix(dir, "python2.", "python3.")
	}
}

// isClient reports whether a file is the bundled JavaScript client, whose wrappers are in many browser stacks.
func isClient(name string) bool {
	rest, ok := strings.CutPrefix(name, "honeybadger.")
	return ok && (rest == "js" || strings.HasSuffix(rest, ".js"))
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// Frame is one line of a backtrace as the interface shows it, innermost first. Every field has a type that strict
// clients can decode, whatever was reported (wire.md §1.4).
type Frame struct {
	Number          *int              `json:"number,string"` // the line; null when unknown
	Column          *int              `json:"column,omitempty"`
	File            string            `json:"file"`
	Method          string            `json:"method"`
	Class           string            `json:"class,omitempty"`
	Type            string            `json:"type,omitempty"` // PHP: "->" or "::"
	Args            []any             `json:"args,omitempty"`
	Source          map[string]string `json:"source,omitempty"`           // line number → text of the line
	Context         string            `json:"context"`                    // "app" for application frames, else "all"
	ApplicationFile string            `json:"application_file,omitempty"` // in application traces: File without [PROJECT_ROOT]/
}

// readFrames reads a backtrace of any type: an array of frames is the rule; lines of text, in an array or as one
// string, become frames that have only a method; anything else is no backtrace.
func readFrames(v any) []Frame {
	frames := []Frame{}
	if text, ok := v.(string); ok {
		for i, line := range strings.SplitN(text, "\n", maxShown+1) {
			if i < maxShown {
				frames = append(frames, Frame{Method: strings.TrimRight(line, "\r")})
			}
		}
	}
	for _, f := range shown(v) {
		frames = append(frames, readFrame(f))
	}
	return slices.DeleteFunc(frames, func(f Frame) bool { return f.File == "" && f.Method == "" })
}

func readFrame(v any) Frame {
	d, ok := v.(map[string]any)
	if !ok {
		return Frame{Method: TextOf(v)}
	}
	return Frame{
		Number:  IntOf(d["number"]),
		Column:  IntOf(d["column"]),
		File:    TextOf(d["file"]),
		Method:  TextOf(d["method"]),
		Class:   TextOf(d["class"]),
		Type:    TextOf(d["type"]),
		Args:    readArgs(d["args"]),
		Source:  textsOf(d["source"]),
		Context: TextOf(d["context"]),
	}
}

// readArgs returns the arguments of a call; a lone value counts as the only one.
func readArgs(v any) []any {
	if args, ok := v.([]any); ok || v == nil {
		return args
	}
	return []any{v}
}

// markApp sets the context of every frame by the rule of OriginOf, and returns the application frames.
func markApp(frames []Frame) []Frame {
	best := Vendored
	origins := make([]Origin, len(frames))
	for i, f := range frames {
		origins[i] = OriginOf(f.Context, f.File, f.Method)
		best = max(best, origins[i])
	}
	app := []Frame{}
	for i := range frames {
		frames[i].Context = "all"
		if origins[i].IsApp(best) {
			frames[i].Context = "app"
			f := frames[i]
			f.ApplicationFile = strings.TrimPrefix(f.File, "[PROJECT_ROOT]/")
			app = append(app, f)
		}
	}
	return app
}
