package group

import (
	"strings"

	"sett/internal/event/origin"
)

// FirstOrigin is origin.Of as it was for rule 1, for the keys that errors got then. It does not follow what package origin learns.
func FirstOrigin(context, file, method string) origin.Origin {
	switch {
	case context == "app":
		return origin.Marked
	case context == "all" || file == "" || vendoredMethod(file, method):
		return origin.Vendored
	}
	rest, inProject := strings.CutPrefix(file, "[PROJECT_ROOT]/")
	switch {
	case vendoredPath(rest):
		return origin.Vendored
	case inProject:
		return origin.InProject
	default:
		return origin.Unmarked
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
