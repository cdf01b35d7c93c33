package bundle

// The kinds of files that a manifest knows.
const (
	SourceMap = "source_map"
	Minified  = "minified_source"
	Source    = "source"
)

// Listed is a file of a build as a list says it, when there is no archive.
type Listed struct {
	Name    string // by which it is read
	Kind    string
	URL     string // such as ~/main.js
	Map     string // of a minified file: the source map that it names; "" for none
	DebugID string
}

// Pair is a source map of a list with its minified file.
type Pair struct {
	URL      string // of the minified file; "" for none
	DebugID  string // in lower case; "": perhaps the map itself has one
	Map      string // names of files in the list
	Minified string // "": the list has none
}

// PairOf finds the maps in a list and their minified files, as Open does in an archive. Ignored are the maps that nothing could find.
func PairOf(files []Listed) (pairs []Pair, ignored int) {
	m := manifest{Files: map[string]entry{}}
	for _, f := range files {
		m.Files[f.Name] = entry{f.Kind, f.URL, map[string]string{"sourcemap": f.Map, "debug-id": f.DebugID}}
	}
	return pair(m, func(string) bool { return true }, MostFiles)
}
