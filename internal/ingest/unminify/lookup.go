package unminify

import (
	"context"
	"time"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/function"
	"sett/internal/store/sourcemapdb"
)

// The bounds on one event.
const (
	mostFiles      = 50       // whose maps are looked for
	mostFilesQuick = 10       // the same at intake
	mostRead       = 64 << 20 // bytes of original files that are searched for lines
	linesAround    = 5        // before and after the line of a frame
)

// Lookup finds the origins of the frames of one event. It is not safe for concurrent use.
type Lookup struct {
	maps  *Maps
	build Build
	quick bool
	hurry time.Duration // for which the caller waits for a map, from when it began to load
	until time.Time     // for all maps

	files map[string]*minified        // by URL
	texts map[textKey]string          // of original files
	read  int                         // bytes of them
	last  string                      // the last of them
	wrote map[textKey]*function.Table // the functions of some of them; nil: not known
	none  *bool                       // whether the project has no maps; nil: not known
}

// textKey is an original file, as the map of a minified file names it.
type textKey struct{ url, source string }

// minified is a file of the event, and where its map is. The map itself is asked for with each frame: an event that held those of all its
// files would take any amount of memory.
type minified struct {
	url     string
	found   sourcemapdb.Found
	reason  Reason // why no map applies
	nearest string
}

// The times that callers wait for maps of an event.
const (
	patience = 5 * time.Second // of a page
	hurry    = time.Second     // of intake
)

// Lookup returns a lookup for an event that is to be shown.
func (s *Maps) Lookup(b Build) *Lookup { return s.lookup(b, false, patience) }

// Quick returns a lookup that only finds positions, for an event that is to be stored.
func (s *Maps) Quick(b Build) *Lookup { return s.lookup(b, true, hurry) }

func (s *Maps) lookup(b Build, quick bool, wait time.Duration) *Lookup {
	return &Lookup{maps: s, build: b, quick: quick, hurry: wait, until: time.Now().Add(wait), files: map[string]*minified{}, texts: map[textKey]string{}, wrote: map[textKey]*function.Table{}}
}

// Origins returns where the frames of a backtrace come from, innermost first as they are. The error is the store's.
func (l *Lookup) Origins(ctx context.Context, frames []Frame) ([]Origin, error) {
	origins := make([]Origin, len(frames))
	text := ""   // of the original file of the frame before, up to its line
	called := "" // by the frame before, which is called from this one
	for i := range frames {
		o, p, err := l.origin(ctx, frames[i])
		if err != nil {
			return nil, err
		}
		origins[i] = o
		if name := nameOf(p, called); i > 0 && o.Mapped() && !origins[i-1].enclosed && declares(text, name) {
			origins[i-1].Method = name
		}
		if called, text = frames[i].Method, ""; o.Reason == Found && !l.quick {
			text = firstLines(l.last, o.Line)
		}
	}
	return origins, nil
}

// origin returns where a frame comes from, and the position that the map has.
func (l *Lookup) origin(ctx context.Context, f Frame) (o Origin, p sourcemap.Position, err error) {
	o = Origin{Minified: f, Revision: l.build.Revision, Frame: f}
	switch {
	case f.Line <= 0 || !isScript(l.build.urlOf(f.File)):
		o.Reason = NotMinified
		return o, p, nil
	case f.Column <= 0:
		o.Reason = NoColumn
		return o, p, nil
	}
	file, err := l.file(ctx, f.File)
	if err != nil {
		return o, p, err
	}
	o.URL, o.Map, o.Nearest = file.url, file.found, file.nearest
	d, err := l.load(ctx, file)
	if o.Reason = file.reason; err != nil || o.Reason != Found {
		return o, p, err
	}
	p, ok := d.m.Lookup(f.Line, f.Column-1)
	path := PathOf(p.Source)
	if !ok || path == "" {
		o.Reason = NoMapping
		return o, p, nil
	}
	o.Frame, o.Ignored = Frame{path, f.Method, p.Line, p.Column + 1}, p.Ignored
	if l.quick {
		return o, p, nil
	}
	o.Source, err = l.source(ctx, file, d.m, p)
	if len(o.Source) == 0 {
		o.Reason = NoSource
	}
	if name := l.enclosing(d, f, p, o); name != "" {
		o.Method, o.enclosed = name, true
	}
	return o, p, err
}

// file returns a file of the event with its map.
func (l *Lookup) file(ctx context.Context, file string) (*minified, error) {
	url := l.build.urlOf(file)
	if known := l.files[url]; known != nil {
		return known, nil
	}
	found := &minified{url: url}
	if len(l.files) >= mostFiles || l.quick && len(l.files) >= mostFilesQuick {
		found.reason = TooMany
		return found, nil
	}
	l.files[url] = found
	return found, l.open(ctx, found)
}

// load returns the map of a file that has one, and notes if it cannot be had.
func (l *Lookup) load(ctx context.Context, f *minified) (d *decoded, err error) {
	if f.reason == Found {
		d, f.reason, err = l.maps.load(ctx, fileKey{l.build.ProjectID, f.found.FileID, f.found.FunctionsID}, l.hurry, l.until)
	}
	return d, err
}

// open finds the map of a file, or finds out why there is none.
func (l *Lookup) open(ctx context.Context, f *minified) error {
	b := l.build
	found, ok, err := l.maps.find(ctx, question{b.ProjectID, b.DebugIDs[f.url], b.Revision, f.url})
	if err != nil || !ok {
		f.reason = NoUpload
		if err == nil && !l.quick {
			err = l.explain(ctx, f)
		}
		return err
	}
	f.found = found
	return nil
}

// explain finds out why a file has no map.
func (l *Lookup) explain(ctx context.Context, f *minified) error {
	if l.none == nil {
		total, err := l.maps.store.Total(ctx, l.build.ProjectID)
		if err != nil {
			return err
		}
		none := total.Maps == 0
		l.none = &none
	}
	if *l.none {
		f.reason = NoMaps
		return nil
	}
	urls, err := l.urls(ctx)
	if f.nearest = sourcemap.Nearest(urls, f.url); f.nearest != "" {
		f.reason = OtherURL
	}
	return err
}

// urls returns what was uploaded for the revision, or else for the default one.
func (l *Lookup) urls(ctx context.Context) ([]string, error) {
	for _, revision := range []string{l.build.Revision, sourcemapdb.DefaultRevision} {
		if revision == "" {
			continue
		}
		urls, err := l.maps.store.URLs(ctx, l.build.ProjectID, revision)
		if err != nil || len(urls) > 0 {
			return urls, err
		}
	}
	return nil, nil
}

// source returns the lines around a position in its original file; none if the file is not known.
func (l *Lookup) source(ctx context.Context, f *minified, m *sourcemap.Map, p sourcemap.Position) ([]sourcemap.Line, error) {
	text, err := l.text(ctx, f, m, p)
	if err != nil || l.read > mostRead || text == "" {
		return nil, err
	}
	l.last = text
	return sourcemap.LinesAround(text, p.Line, linesAround), nil
}

// text returns an original file, which the map contains or which was uploaded with it; "" if it is neither, or if too much was read for the
// event already.
func (l *Lookup) text(ctx context.Context, f *minified, m *sourcemap.Map, p sourcemap.Position) (string, error) {
	text, ok := m.Content(p)
	if ok {
		l.read += len(text)
		return text, nil
	}
	key := textKey{f.url, p.Source}
	if text, ok = l.texts[key]; ok || l.read > mostRead {
		l.read += len(text)
		return text, nil
	}
	file, _, err := l.maps.store.OriginalFile(ctx, l.build.ProjectID, f.found.ID, sourcemap.Beside(f.url, p.Source))
	if err != nil {
		return "", err
	}
	l.read += len(file)
	l.texts[key] = string(file)
	return l.texts[key], nil
}
