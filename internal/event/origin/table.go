package origin

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// The tables. A line is a kind and a pattern, the rest of the line:
//
//	for        the extensions of the files to which the table applies; "*" for all, nothing for machine code
//	name       a package, namespace, module or crate: methods that begin with it and a sign are a library's
//	function   what the name of a library's function begins with
//	path       what the path of a library's file begins with
//	dir        a directory on the path of a library's file, or two of them with "/" between
//	file       the name of a library's file; a bundler may put a digest into it
//	package    a package of Dart
//	host       a host that serves scripts of others
//
//go:embed data/*.txt
var data embed.FS

// language is what one table says.
type language struct {
	extensions          []string
	names, files, hosts map[string]bool
	dirs                map[string][]string // a directory → those that it must be in; "" for any
	functions, paths    []string            // sorted
	deepest             int                 // how many signs a name of names has at most, plus one

	// What decides about most frames without a look into the maps.
	firstOfPaths, firstOfFunctions [256]bool
	lengths                        [256]uint32 // of dirs, a bit for each length, by the first byte
}

type allTables struct {
	byExtension map[string]*language
	languages   []*language
	any, native *language
}

var tables = readTables()

func readTables() *allTables {
	all := &allTables{byExtension: map[string]*language{}}
	files, err := data.ReadDir("data")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for _, f := range files {
		text, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			panic(err)
		}
		l, err := readTable(string(text))
		if err != nil {
			panic(fmt.Sprintf("origin: %s: %v", f.Name(), err))
		}
		all.add(l)
	}
	return all
}

func (t *allTables) add(l *language) {
	switch {
	case slices.Equal(l.extensions, []string{"*"}):
		t.any = l
		return
	case len(l.extensions) == 0:
		t.native = l
	}
	t.languages = append(t.languages, l)
	for _, extension := range l.extensions {
		t.byExtension[extension] = l
	}
}

func readTable(text string) (*language, error) {
	l := &language{names: map[string]bool{}, dirs: map[string][]string{}, files: map[string]bool{}, hosts: map[string]bool{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		kind, pattern, _ := strings.Cut(line, " ")
		if err := l.add(kind, pattern); err != nil {
			return nil, err
		}
	}
	slices.Sort(l.paths)
	slices.Sort(l.functions)
	return l, nil
}

func (l *language) add(kind, pattern string) error {
	switch {
	case kind == "for":
		l.extensions = strings.Fields(pattern)
	case pattern == "":
		return fmt.Errorf("%q has no pattern", kind)
	case kind == "name":
		l.names[pattern] = true
		l.deepest = max(l.deepest, 1+strings.Count(pattern, ".")+strings.Count(pattern, "/"))
	case kind == "function":
		l.functions = append(l.functions, pattern)
		l.firstOfFunctions[pattern[0]] = true
	case kind == "path", kind == "package":
		if kind == "package" {
			pattern = "package:" + pattern + "/"
		}
		l.paths = append(l.paths, pattern)
		l.firstOfPaths[pattern[0]] = true
	case kind == "dir":
		parent, dir, ok := strings.Cut(pattern, "/")
		if !ok {
			parent, dir = "", pattern
		}
		l.dirs[dir] = append(l.dirs[dir], parent)
		l.lengths[dir[0]] |= 1 << min(len(dir), 31)
	case kind == "file":
		l.files[pattern] = true
	case kind == "host":
		l.hosts[pattern] = true
	default:
		return fmt.Errorf("%q is no kind of line", kind)
	}
	return nil
}

func (l *language) hasPath(file string) bool {
	return file != "" && l.firstOfPaths[file[0]] && hasAnyPrefix(file, l.paths)
}

func (l *language) hasDir(parent, dir string) bool {
	if dir == "" || l.lengths[dir[0]]&(1<<min(len(dir), 31)) == 0 {
		return false
	}
	for _, in := range l.dirs[dir] {
		if in == "" || in == parent {
			return true
		}
	}
	return false
}

// hasFile reports whether a file is a library's, also with what a bundler puts between its name and its extension.
func (l *language) hasFile(name string) bool {
	if len(l.files) == 0 {
		return false
	}
	if i := strings.IndexAny(name, "?#"); i >= 0 {
		name = name[:i]
	}
	if l.files[name] {
		return true
	}
	at := strings.IndexAny(name, "-.")
	extension := strings.LastIndexByte(name, '.')
	return at > 0 && extension > at && hasDigest(name[at+1:extension]) && l.files[name[:at]+name[extension:]]
}

// hasDigest reports whether what stands between the name and the extension of a file is no word that a person wrote: it has a digit, or a capital.
func hasDigest(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' })
}

// hasName reports whether a method is in a package of the table, or is one of its functions.
func (l *language) hasName(method string) bool {
	if method == "" {
		return false
	}
	if l.firstOfFunctions[method[0]] && hasAnyPrefix(method, l.functions) {
		return true
	}
	if len(l.names) == 0 {
		return false
	}
	method = strings.TrimPrefix(method, "Elixir.")
	method = strings.TrimLeft(method, "<&*(")
	method = strings.TrimPrefix(method, "dyn ")
	for i, signs := 0, 0; i < len(method) && signs < l.deepest; i++ {
		switch method[i] {
		case '.', '/', ':', '$':
			if l.names[method[:i]] {
				return true
			}
			signs++
		case ' ', '(':
			return false
		}
	}
	return false
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
