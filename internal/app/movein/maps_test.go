package movein_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/app/movein"
	"sett/internal/ingest/unminify"
	"sett/internal/ingest/upload"
	"sett/internal/sett/move"
	"sett/internal/setttest"
	"sett/internal/setttest/oldsentry"
)

// coded has an import bring source maps too.
func coded(t *testing.T, s *setttest.Server, o movein.Options) movein.Options {
	t.Helper()
	maps := unminify.New(s.App.Store().SourceMaps, s.Clock.Now)
	t.Cleanup(maps.Close)
	o.Code = movein.Code{Uploads: upload.NewDesk(s.App.Store().SourceMaps, t.TempDir()), Maps: maps, Stored: maps.Forget}
	return o
}

// minified returns a file of a bundle that esbuild has made.
func minified(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../ingest/unminify/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// thrown is what the SDK sends of the error of that bundle. Its functions are called otherwise in each build.
func thrown(release, names string) map[string]any {
	frames := []any{}
	for i, column := range []int{443, 351, 125, 357, 298, 184} {
		frames = append(frames, map[string]any{"filename": "https://shop.example.test/assets/shop.js", "function": names + fmt.Sprint(i), "lineno": 1, "colno": column, "in_app": true})
	}
	return map[string]any{
		"platform": "javascript", "release": release, "environment": "production", "level": "error",
		"exception": map[string]any{"values": []any{map[string]any{"type": "RangeError", "value": "the cart is empty", "stacktrace": map[string]any{"frames": frames}}}},
	}
}

const mapsOfWeb = `SELECT count(*) FROM source_maps WHERE project_id = (SELECT id FROM projects WHERE name = 'web')`

// read returns which files of builds were read.
func filesRead(paths []string) (ids []string) {
	for _, path := range paths {
		if _, id, ok := strings.Cut(path, "/files/"); ok && id != "" && !strings.HasPrefix(id, "artifact-bundles") {
			ids = append(ids, id)
		}
	}
	return ids
}

// After the move, events of minified code land in the error that came: known by original frames, and by minified ones where no map applies.
func TestSourceMapsCome(t *testing.T) {
	t.Parallel()
	text, code := minified(t, "shop.js.map"), minified(t, "shop.js")
	for form, build := range map[string]func(*oldsentry.Server){
		"files of a release": func(o *oldsentry.Server) {
			o.Releases[0].Files = []*oldsentry.File{{Name: "~/assets/shop.js", Map: "shop.js.map", Text: code}, {Name: "~/assets/shop.js.map", Text: text}, {Name: "~/index.html"}}
		},
		"bundle": func(o *oldsentry.Server) {
			o.Projects[0].Bundles = []*oldsentry.Bundle{{ID: "6a1f-0", Releases: []string{"shop@1"}, Files: []*oldsentry.File{
				{Name: "~/assets/shop.js", DebugID: "8b8bcbe7-6a9a-4295-a0d9-026da186b79f", Text: code}, {Name: "~/other.js.map", DebugID: "8b8bcbe7-6a9a-4295-a0d9-026da186b79f", Text: text},
			}}}
		},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			s := setttest.Start(t, "sqlite")
			o := old(t, s.Clock.Now(), []map[string]any{thrown("shop@1", "a")})
			o.Releases = []*oldsentry.Release{{Version: "shop@1", Created: s.Clock.Now().Add(-time.Hour), Projects: []string{"web"}}}
			build(o)
			wantCame(t, run(t, coded(t, s, options(t, s, o))), move.Came{Noun: "source maps", Found: 1, Made: 1})
			if n := row(t, s, mapsOfWeb+` AND revision = 'shop@1' AND url = '~/assets/shop.js' AND sources > 0`); n != 1 {
				t.Errorf("%d source maps", n)
			}
			if n := row(t, s, `SELECT count(*) FROM source_map_files WHERE url = '#functions'`); n != 1 {
				t.Errorf("%d tables of the functions of minified files", n)
			}
			for i, object := range []map[string]any{thrown("shop@1", "another"), thrown("shop@9", "a")} {
				send(t, s, fmt.Sprintf("%032x", 0xdef000+i), object)
			}
			if n := row(t, s, `SELECT count(*)`+ofWeb); n != 1 {
				t.Errorf("%d errors, want the one that came", n)
			}
			asked := len(o.Asked())
			wantCame(t, run(t, coded(t, s, options(t, s, o))), move.Came{Noun: "source maps", Found: 1, Present: 1})
			if ids := filesRead(o.Asked()[asked:]); len(ids) > 0 {
				t.Errorf("read again: %v", ids)
			}
		})
	}
}

// Files that are no use are left with a line, and keep nothing else from coming. No id and no redirect leads anywhere.
func TestHostileSourceMaps(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	o := old(t, s.Clock.Now(), sentEvents(t)[:1])
	files := []*oldsentry.File{
		{Name: "~/a-large.js.map", Text: strings.Repeat(" ", 32<<20+1)},
		{Name: "~/b-none.js.map", Text: "<html>"},
		{Name: "~/c-*.js.map", Text: minified(t, "shop.js.map")},
		{ID: "../../../keys", Name: "~/d-path.js.map"},
		{ID: "gone", Name: "~/e-gone.js.map"},
		{ID: "redirect", Name: "~/f.js.map"},
		{ID: "broken", Name: "~/g.js.map"},
		{Name: "~/../../h.js.map", Text: minified(t, "shop.js.map")},
	}
	o.Projects[0].Bundles = []*oldsentry.Bundle{{ID: "..", Files: files}, {ID: "one", Files: files}, {ID: "lost"}}
	o.Before = func(w http.ResponseWriter, r *http.Request) bool {
		var status int
		switch parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/"); parts[len(parts)-1] {
		case "gone":
			status = http.StatusNotFound
		case "redirect":
			w.Header().Set("Location", "/elsewhere")
			status = http.StatusFound
		case "broken":
			status = http.StatusInternalServerError
		default:
			return false
		}
		w.WriteHeader(status)
		return true
	}
	report := run(t, coded(t, s, options(t, s, o)))
	wantCame(t, report, move.Came{Noun: "source maps", Found: 7, Made: 1})
	var left []string
	for _, l := range report.Left {
		if l.Noun == "source maps" {
			left = append(left, l.Name)
		}
	}
	if got := strings.Join(left, ", "); len(left) != 6 || strings.Contains(got, "d-path") || strings.Contains(got, "h.js") {
		t.Errorf("left: %s", got)
	}
	for _, path := range o.Asked() {
		if strings.Contains(path, "elsewhere") || strings.Contains(path, "..") {
			t.Errorf("asked %s", path)
		}
	}
	if n := row(t, s, mapsOfWeb); n != 1 {
		t.Errorf("%d source maps came", n)
	}
}

// A project with more source maps than are read has its newest.
func TestSourceMapsAreBounded(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	o := old(t, s.Clock.Now(), sentEvents(t)[:1])
	o.PerPage = 0
	b := &oldsentry.Bundle{ID: "one"}
	for i := range move.MostFiles + 1 {
		b.Files = append(b.Files, &oldsentry.File{Name: fmt.Sprintf("~/%d.js.map", i), Text: "{}"})
	}
	o.Projects[0].Bundles = []*oldsentry.Bundle{b}
	options := coded(t, s, options(t, s, o))
	options.DryRun = true
	report := run(t, options)
	wantCame(t, report, move.Came{Noun: "source maps", Found: 1000, Made: 1000})
	n := 0
	for _, l := range report.Left {
		if l.Noun == "source maps" && (l.Name == "web" || l.Name == "web: one") {
			n++
		}
	}
	if ids := filesRead(o.Asked()); n != 2 || len(ids) > 0 {
		t.Errorf("%v, and read %v", report.Left, ids)
	}
}

// A run that is cut off among source maps goes on where it was.
func TestSourceMapsGoOn(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	o := old(t, s.Clock.Now(), sentEvents(t)[:1])
	b := &oldsentry.Bundle{ID: "one"}
	for i := range 4 {
		b.Files = append(b.Files, &oldsentry.File{Name: fmt.Sprintf("~/%d.js.map", i), Text: minified(t, "shop.js.map")})
	}
	o.Projects[0].Bundles = []*oldsentry.Bundle{b}
	for cuts := 0; ; cuts++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		o.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if len(filesRead([]string{r.URL.Path})) > 0 {
				if n++; n == 2 {
					cancel()
				}
			}
			return false
		}
		report, err := movein.Run(ctx, coded(t, s, options(t, s, o)))
		cancel()
		if err == nil {
			wantCame(t, report, move.Came{Noun: "source maps", Found: 4, Made: 1, Present: 3})
			break
		}
		if cuts > 4 {
			t.Fatal(err)
		}
	}
	if n, read := row(t, s, mapsOfWeb), len(filesRead(o.Asked())); n != 4 || read != 7 {
		t.Errorf("%d source maps of %d files that were read, want 4 of 7", n, read)
	}
}

// A token that may not read files is refused once, and a server that fails all the time a few times.
func TestSourceMapsThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{http.StatusForbidden: 1, http.StatusBadGateway: 3 * 8} {
		s := setttest.Start(t, "sqlite")
		o := old(t, s.Clock.Now(), sentEvents(t)[:1])
		b := &oldsentry.Bundle{ID: "one"}
		for i := range 6 {
			b.Files = append(b.Files, &oldsentry.File{Name: fmt.Sprintf("~/%d.js.map", i)})
		}
		o.Projects[0].Bundles = []*oldsentry.Bundle{b}
		o.Before = func(w http.ResponseWriter, r *http.Request) bool {
			fails := len(filesRead([]string{r.URL.Path})) > 0
			if fails {
				w.WriteHeader(status)
			}
			return fails
		}
		report := run(t, coded(t, s, options(t, s, o)))
		if n := len(filesRead(o.Asked())); n != want {
			t.Errorf("status %d: %d requests, want %d", status, n, want)
		}
		if n := slices.IndexFunc(report.Left, func(l move.Left) bool { return l.Noun == "source maps" && l.Name == "web" }); n < 0 {
			t.Errorf("status %d: the report has %+v", status, report.Left)
		}
	}
}
