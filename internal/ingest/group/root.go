package group

import (
	_ "embed"
	"net/url"
	"strings"
)

// rootsText is the table of directories that withoutRoot cuts off; see the file.
//
//go:embed data/roots.txt
var rootsText string

var roots = readRoots(rootsText)

// rootStep is a directory on the way to a root. "*" stands for any name.
type rootStep struct {
	isRoot bool
	next   map[string]*rootStep
}

func readRoots(text string) *rootStep {
	first := &rootStep{next: map[string]*rootStep{}}
	for root := range readClasses(text) {
		at := first
		for dir := range strings.SplitSeq(root, "/") {
			if at.next[dir] == nil {
				at.next[dir] = &rootStep{next: map[string]*rootStep{}}
			}
			at = at.next[dir]
		}
		at.isRoot = true
	}
	return first
}

// withoutRoot cuts the directory of the application off an absolute path, so that one source has one name wherever it is deployed. Paths with a drive
// are absolute too. A path directly below a root keeps its name.
func withoutRoot(file string) string {
	path := file
	if len(path) > 3 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // of an address: "file:///C:/kiosk/shop.mjs"
	}
	if len(path) > 2 && path[1] == ':' && path[2] == '/' && isLetter(path[0]) {
		path = path[2:]
	}
	if !strings.HasPrefix(path, "/") {
		return file
	}
	cut := max(rootLength(path, 1, roots), behind(path, "/releases/*/"), behind(path, "/current/"), behind(path, ".app/"), behind(path, "/app.asar/"), behind(path, ".phar/"), behind(path, "/android_asset/"))
	if cut == 0 {
		return path
	}
	path = path[cut:]
	if i := strings.Index(path, "/src/"); i >= 0 {
		return path[i+1:] // below a directory of the project's name
	}
	return path
}

// isNamed reports whether functions of a language have names that say where they are, so that the directory of a file adds nothing; it is that of the machine
// which compiled it.
func isNamed(file string) bool {
	switch extensionOf(file) {
	case ".go", ".java", ".kt", ".scala", ".clj", ".groovy", ".cs", ".fs", ".vb", ".swift", ".m", ".mm", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".rs":
		return true
	}
	return false
}

// plainPath is the path of a file of the application, wherever it was deployed, compiled or served from. name is what fileName makes of file.
func plainPath(file, name string) string {
	switch {
	case isNamed(name):
		return plainFile(name[strings.LastIndexByte(name, '/')+1:])
	case strings.HasSuffix(name, ".jsbundle"), strings.HasSuffix(name, ".bundle"):
		return "*.bundle" // of each platform
	case isAddress(file):
		return plainAddress(name)
	}
	if strings.HasPrefix(name, "<ipython-input-") {
		return "<ipython-input>" // cells are numbered when they run
	}
	name = strings.TrimPrefix(plainFile(withoutRoot(withoutLayers(name))), "/")
	if name == "<*>" { // Unity's, for the id of a module
		return ""
	}
	return name
}

// isAddress reports whether a file has an address of its own, of a server or a bundler, so that its path does not begin at the root of a disk.
func isAddress(file string) bool {
	return strings.Contains(file, "://") && !strings.HasPrefix(file, "file:")
}

// plainAddress is the path of an address. What comes before a version is where a network keeps the files of all customers.
func plainAddress(path string) string {
	if rest, ok := strings.CutPrefix(path, "/@fs/"); ok {
		return strings.TrimPrefix(plainFile(withoutRoot("/"+rest)), "/")
	}
	if strings.IndexByte(path, '%') >= 0 {
		if plain, err := url.PathUnescape(path); err == nil {
			path = plain
		}
	}
	path = plainFile(withoutLayers(path))
	if !strings.ContainsAny(path, "*<") {
		return strings.TrimPrefix(path, "/")
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	page, start := !isScriptSource(path), 0
	for i, part := range parts {
		if page && strings.Contains(part, "*") {
			parts[i] = "*"
		}
		if i+1 < len(parts) && part == versionMark {
			start = i + 1
		}
	}
	return strings.Join(parts[start:], "/")
}

// layers begin the paths that bundlers give to files, once for each place where they run.
var layers = [...]string{
	"/[project]/", "[project]/", "/(app-pages-browser)/", "/(app-client)/", "/(pages-dir-browser)/", "/(pages-dir-node)/", "/(rsc)/", "/(ssr)/", "/(sc_server)/", "/(sc_client)/", "/(client)/", "/(server)/", "/(middleware)/",
	"/(edge)/", "/(api)/", "/(instrument)/", "/(action-browser)/",
}

// withoutLayers cuts off the layer of a bundler, and what Turbopack writes behind a path: "src/pay.ts [app-client] (ecmascript)".
func withoutLayers(path string) string {
	if i := strings.Index(path, " ["); i > 0 && strings.HasSuffix(path, ")") {
		path = path[:i]
	}
	for _, layer := range layers {
		if rest, ok := strings.CutPrefix(path, layer); ok {
			return strings.TrimPrefix(rest, "./")
		}
	}
	return path
}

// behind returns where a part of a path ends that deployment tools put before the application; 0 if it has none.
func behind(path, part string) int {
	if i := strings.Index(path, part); i >= 0 {
		return i + len(part)
	}
	return 0
}

// rootLength is how many bytes of a path the longest root takes that begins at an offset, with the slash behind it; 0 for none.
func rootLength(path string, at int, step *rootStep) (longest int) {
	i := strings.IndexByte(path[at:], '/')
	if i < 0 {
		return 0
	}
	end := at + i + 1
	for _, name := range [...]string{path[at : end-1], "*"} {
		next := step.next[name]
		if next == nil {
			continue
		}
		if next.isRoot {
			longest = max(longest, end)
		}
		longest = max(longest, rootLength(path, end, next))
	}
	return longest
}
