package bundle

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"sett/internal/event/sourcemap"
)

// manifest is what a bundle says of its files. Other tools may add more.
type manifest struct {
	Release string           `json:"release"`
	Files   map[string]entry `json:"files"` // by their names in the archive
}

// entry is what a bundle says of one file.
type entry struct {
	Type    string            `json:"type"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// header returns a header, whose name may be written in any case.
func (e entry) header(names ...string) string {
	for key, value := range e.Headers {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, key) }) {
			return value
		}
	}
	return ""
}

func (e entry) debugID() string { return sourcemap.CleanDebugID(e.header("debug-id")) }

func (b *Bundle) manifest(f *zip.File) (m manifest, err error) {
	if f == nil {
		return m, errorf("The bundle has no manifest.json. Upload it with Sentry's tools.")
	}
	text, err := read(f, largestIndex)
	if errors.Is(err, errLong) {
		return m, errorf("The manifest.json of the bundle has more than %d bytes. Upload its files in several bundles.", largestIndex)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, errorf("The manifest.json of the bundle is not JSON as Sentry's tools write it. Upload the bundle again.")
	}
	return m, nil
}

// collect finds the maps and their minified files, in the order of their names. A file that the archive lacks is passed over, as Sentry
// does.
func (b *Bundle) collect(m manifest, files map[string]*zip.File) error {
	pairs, ignored := pair(m, func(name string) bool { return files[name] != nil }, MostMaps+1)
	if b.Ignored = ignored; len(pairs) > MostMaps {
		return errorf("The bundle has more than %d source maps. Upload them in several bundles.", MostMaps)
	}
	for _, p := range pairs {
		b.Maps = append(b.Maps, Map{p.URL, p.DebugID, files[p.Map], files[p.Minified]})
	}
	return nil
}

// pair finds the maps that there are, and their minified files, until there are so many.
func pair(m manifest, there func(name string) bool, most int) (pairs []Pair, ignored int) {
	minified := minifiedFiles(m)
	seen, added := map[[2]string]bool{}, map[[2]string]bool{}
	for _, name := range names(m) {
		e := m.Files[name]
		id := e.debugID()
		if len(pairs) >= most {
			break
		}
		if e.Type != SourceMap || !there(name) || seen[[2]string{e.URL, id}] {
			continue
		}
		seen[[2]string{e.URL, id}] = true
		urls := minified.of(e, id)
		if len(urls) == 0 && id == "" {
			ignored++
			continue
		}
		if len(urls) == 0 {
			urls = []string{""}
		}
		for _, url := range urls {
			if key := [2]string{url, id}; !added[key] {
				added[key] = true
				pairs = append(pairs, Pair{url, id, name, minified.names[key]})
			}
		}
	}
	return pairs, ignored
}

func names(m manifest) (all []string) {
	for name := range m.Files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// minifiedIndex has the URLs of minified files.
type minifiedIndex struct {
	byMap     map[string][]string // by the URL of the map that they name
	byDebugID map[string][]string
	names     map[[2]string]string // of the files in the archive, by their URL and their debug id or none
}

func minifiedFiles(m manifest) minifiedIndex {
	x := minifiedIndex{map[string][]string{}, map[string][]string{}, map[[2]string]string{}}
	for _, name := range names(m) {
		e := m.Files[name]
		if e.Type == SourceMap || e.Type == Source {
			continue
		}
		url, err := sourcemap.CheckURL(e.URL)
		if err != nil {
			url = ""
		}
		id := e.debugID()
		x.names[[2]string{url, ""}], x.names[[2]string{url, id}] = name, name
		if url == "" {
			continue
		}
		if to := beside(url, e.header("sourcemap", "x-sourcemap")); to != "" {
			x.byMap[to] = append(x.byMap[to], url)
		}
		if id != "" {
			x.byDebugID[id] = append(x.byDebugID[id], url)
		}
	}
	return x
}

// of returns the URLs of the minified files of a map: those that name it, else those with its debug id, else its own without .map.
func (x minifiedIndex) of(e entry, debugID string) []string {
	url, err := sourcemap.CheckURL(e.URL)
	if err == nil && len(x.byMap[url]) > 0 {
		return x.byMap[url]
	}
	if debugID != "" && len(x.byDebugID[debugID]) > 0 {
		return x.byDebugID[debugID]
	}
	if err != nil {
		return nil
	}
	return []string{strings.TrimSuffix(url, ".map")}
}

// beside returns the URL of a map as its minified file names it. The file may be of any host: ~/main.js.
func beside(minified, name string) string {
	switch {
	case name == "" || strings.HasPrefix(name, "data:"):
		return ""
	case strings.HasPrefix(name, "~/"):
		return sourcemap.CleanURL(name)
	}
	path, anyHost := strings.CutPrefix(minified, "~")
	to := sourcemap.Beside(path, name)
	if anyHost && strings.HasPrefix(to, "/") {
		return "~" + to
	}
	return to
}
