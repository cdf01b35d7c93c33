package origin

import (
	"fmt"
	"slices"
	"strings"
)

// Why says in a few words what Guess goes by for a frame.
func Why(file, method string) string {
	plain := strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "[PROJECT_ROOT]/")
	switch o := Guess(file, method); {
	case o == InProject:
		return "its file is below the root of the project"
	case o == Unmarked:
		return "no table knows it as a library's"
	case file == "" && !isQualified(method):
		return "it has no file, and its name no package"
	case method == "**unknown**":
		return "it has no debug information"
	case file != "" && isNoPath(plain):
		return "its file is none"
	default:
		return orShape(lineFor(file, plain, method))
	}
}

func orShape(line string) string {
	if line == "" {
		return "a directory of its path has the name and version of a package"
	}
	return line
}

// lineFor returns the line of a table that makes a frame a library's; "" if there is none.
func lineFor(file, plain, method string) string {
	files, err := data.ReadDir("data")
	if err != nil {
		panic(err) // the files are part of the program
	}
	of := languageOf(plain)
	for _, f := range files {
		text, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			panic(err)
		}
		whole, err := readTable(string(text))
		if err != nil {
			panic(err) // it was read before
		}
		isAny := slices.Equal(whole.extensions, []string{"*"})
		if file != "" && !isAny && !slices.Equal(whole.extensions, of.extensions) {
			continue
		}
		if line := lineOf(string(text), plain, method, isAny); line != "" {
			return fmt.Sprintf("table %s: %s", f.Name(), line)
		}
	}
	return ""
}

// lineOf returns the first line of a table that, alone, makes a frame a library's.
func lineOf(text, plain, method string, isAny bool) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		kind, pattern, _ := strings.Cut(line, " ")
		one := &language{names: map[string]bool{}, dirs: map[string][]string{}, files: map[string]bool{}, hosts: map[string]bool{}}
		if line == "" || line[0] == '#' || kind == "for" || one.add(kind, pattern) != nil {
			continue
		}
		if one.hasName(method) || isAny && one.hasDirOn(plain) || !isAny && !isLibraryPath(&language{}, plain) && isLibraryPath(one, plain) {
			return line
		}
	}
	return ""
}

// hasDirOn reports whether a path begins as a table says, or has one of its directories.
func (l *language) hasDirOn(path string) bool {
	dirs := strings.Split(path, "/")
	for i, dir := range dirs[:len(dirs)-1] {
		parent := ""
		if i > 0 {
			parent = dirs[i-1]
		}
		if l.hasDir(parent, dir) {
			return true
		}
	}
	return l.hasPath(path)
}
