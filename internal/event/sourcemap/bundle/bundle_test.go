package bundle_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/gzip"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/bundle"
	"sett/internal/event/sourcemap/function"
	"sett/internal/setttest/recording"
)

// recorded returns the bundle that a plugin uploaded.
func recorded(t testing.TB, client string) []byte {
	t.Helper()
	for _, c := range recording.Captures(t, client) {
		_, params, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
		if err != nil || params["boundary"] == "" {
			continue
		}
		part, err := multipart.NewReader(bytes.NewReader(c.Body), params["boundary"]).NextPart()
		if err != nil {
			t.Fatal(err)
		}
		plain, err := gzip.NewReader(part)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(plain)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	t.Fatalf("%s sent no form", client)
	return nil
}

func open(t testing.TB, text []byte) (*bundle.Bundle, error) {
	t.Helper()
	return bundle.Open(bytes.NewReader(text), int64(len(text)))
}

// archive returns a bundle with files, of which manifest.json may be any value.
func archive(t testing.TB, manifest any, files map[string]string) []byte {
	t.Helper()
	index, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBufferString("SYSB\x02\x00\x00\x00")
	w := zip.NewWriter(out)
	w.SetOffset(8)
	all := map[string]string{"manifest.json": string(index)}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type object = map[string]any

var foundBy = cmpopts.IgnoreUnexported(bundle.Map{})

func TestRecordedBundles(t *testing.T) {
	t.Parallel()
	for client, id := range map[string]string{
		"sentry-webpack-plugin": "8b8bcbe7-6a9a-4295-a0d9-026da186b79f", "sentry-vite-plugin": "d8f1a263-94db-4288-9abb-fd7baec79f55",
	} {
		b, err := open(t, recorded(t, client))
		if err != nil {
			t.Fatal(client, err)
		}
		want := []bundle.Map{{URL: "~/" + id + "-0.js", DebugID: id}}
		if diff := cmp.Diff(want, b.Maps, foundBy); diff != "" || b.Release != "shop@1.2.3" || b.Ignored != 0 {
			t.Errorf("%s, release %q, %d ignored (-want +got):\n%s", client, b.Release, b.Ignored, diff)
		}
		text, err := b.Read(b.Maps[0])
		if err != nil {
			t.Fatal(client, err)
		}
		if minified := string(b.Minified(b.Maps[0])); !strings.Contains(minified, id) || !strings.Contains(minified, "empty cart") {
			t.Errorf("%s: the minified file is %.200q", client, minified)
		}
		if m, err := sourcemap.Parse(text, sourcemap.Largest); err != nil || m.DebugID != "" && m.DebugID != id {
			t.Errorf("%s: %v, %+v", client, err, m)
		}
	}
}

func TestMapsOfMinifiedFiles(t *testing.T) {
	t.Parallel()
	file := func(kind, url string, headers ...string) object {
		h := object{}
		for i := 0; i < len(headers); i += 2 {
			h[headers[i]] = headers[i+1]
		}
		return object{"type": kind, "url": url, "headers": h}
	}
	b, err := open(t, archive(t, object{"files": object{
		"a.js":         file("minified_source", "~/js/a.js", "sourcemap", "maps/a.map"),
		"a.map":        file("source_map", "~/js/maps/a.map"),
		"b.js":         file("minified_source", "https://Shop.test/b.js?v=1", "Sourcemap", "b.js.map"),
		"b.map":        file("source_map", "https://shop.test/b.js.map"),
		"c.js":         file("minified_source", "~/c-1.js", "Debug-ID", "AA-1"),
		"c.map":        file("source_map", "~/other.map", "debug-id", "aa-1"),
		"d.map":        file("source_map", "~/d.js.map"),
		"e.map":        file("source_map", "", "debug-id", "ee"),
		"e.js":         file("minified_source", "", "debug-id", "EE"),
		"f.map":        file("source_map", ""),
		"gone.map":     file("source_map", "~/gone.js.map"),
		"../../../etc": file("source_map", "~/etc.js.map"),
		"g.ts":         file("source", "~/g.ts"),
	}}, map[string]string{"a.js": "a()", "a.map": "A", "b.js": strings.Repeat("b", function.LargestFile+1), "b.map": "B", "c.js": "c()", "c.map": "C", "d.map": "D", "e.map": "E", "e.js": "e()", "f.map": "F", "g.ts": "", "../../../etc": "etc"}))
	if err != nil {
		t.Fatal(err)
	}
	want := []bundle.Map{
		{URL: "~/etc.js"}, {URL: "~/js/a.js"}, {URL: "https://shop.test/b.js"}, {URL: "~/c-1.js", DebugID: "aa-1"}, {URL: "~/d.js"}, {DebugID: "ee"},
	}
	if diff := cmp.Diff(want, b.Maps, foundBy); diff != "" || b.Ignored != 1 {
		t.Errorf("%d ignored (-want +got):\n%s", b.Ignored, diff)
	}
	for i, want := range []string{"etc", "A", "B", "C", "D", "E"} {
		if text, err := b.Read(b.Maps[i]); string(text) != want || err != nil {
			t.Errorf("map %d is %q, %v", i, text, err)
		}
		if got := string(b.Minified(b.Maps[i])); got != []string{"", "a()", "", "c()", "", "e()"}[i] { // b.js is too large
			t.Errorf("the minified file of map %d is %.20q", i, got)
		}
	}
}

func TestHostileBundles(t *testing.T) {
	t.Parallel()
	sourceMap := object{"type": "source_map", "url": "~/a.js.map"}
	many, crowd := object{}, object{}
	files := map[string]string{}
	for i := range bundle.MostMaps + 1 {
		name := fmt.Sprint(i)
		many[name], files[name] = object{"type": "source_map", "url": "~/" + name}, ""
	}
	listed := map[string]string{}
	for i := range bundle.MostFiles + 1 {
		listed[fmt.Sprint(i)] = ""
	}
	for i := range 20_000 { // all of one map, and all with the same URL
		name := fmt.Sprint("c", i)
		crowd[name] = object{"type": "minified_source", "url": "~/a.js", "headers": object{"sourcemap": "a.js.map"}}
	}
	crowd["m"] = sourceMap
	for name, c := range map[string]struct {
		text []byte
		want string // "": it is read
	}{
		"empty":              {nil, "not a ZIP"},
		"no archive":         {[]byte("SYSB\x02\x00\x00\x00"), "not a ZIP"},
		"no manifest":        {archive(t, object{}, nil)[:100], "not a ZIP"},
		"list as manifest":   {archive(t, []any{}, nil), "manifest.json"},
		"numbers as headers": {archive(t, object{"files": object{"a": object{"headers": object{"a": 1}}}}, nil), "manifest.json"},
		"long manifest":      {archive(t, strings.Repeat("a", 9<<20), nil), "more than 8388608 bytes"},
		"many maps":          {archive(t, object{"files": many}, files), "more than 5000 source maps"},
		"many files":         {archive(t, object{}, listed), "more than 50000 files"},
		"a crowd":            {archive(t, object{"files": crowd}, map[string]string{"m": ""}), ""},
	} {
		_, err := open(t, c.text)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBombsEndAtTheLimits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads 512 MiB")
	}
	bomb := strings.Repeat("0", bundle.LargestMap+1)
	b, err := open(t, archive(t, object{"files": object{"a": object{"type": "source_map", "url": "~/a.js.map"}}}, map[string]string{"a": bomb}))
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.Read(b.Maps[0])
	if len(text) != 0 || err == nil || !strings.Contains(err.Error(), `"~/a.js" has more than`) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	whole, err := open(t, archive(t, object{"files": object{"a": object{"type": "source_map", "url": "~/a.js.map"}}}, map[string]string{"a": bomb[1:]}))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for err == nil {
		text, err = whole.Read(whole.Maps[0])
		read += len(text)
	}
	if read != bundle.MostOfMaps || !strings.Contains(err.Error(), "source maps in the bundle have more than") {
		t.Errorf("%d bytes of all maps, %v", read, err)
	}
}

// brokenReader fails behind some bytes.
type brokenReader struct {
	bytes.Reader
	from int64
}

func (b *brokenReader) ReadAt(p []byte, at int64) (int, error) {
	if at >= b.from {
		return 0, fs.ErrClosed
	}
	return b.Reader.ReadAt(p, at)
}

func TestErrorsOfTheReader(t *testing.T) {
	t.Parallel()
	text := recorded(t, "sentry-vite-plugin")
	if _, err := bundle.Open(&brokenReader{*bytes.NewReader(text), 100}, int64(len(text))); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("opened: %v", err)
	}
	r := &brokenReader{*bytes.NewReader(text), int64(len(text))}
	b, err := bundle.Open(r, int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	r.from = 100
	if _, err := b.Read(b.Maps[0]); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("read: %v", err)
	}
}

// FuzzOpen reads any bytes as a bundle. What it accepts has maps that can be found, within the limits.
func FuzzOpen(f *testing.F) {
	f.Add(recorded(f, "sentry-webpack-plugin"))
	f.Add(recorded(f, "sentry-vite-plugin"))
	f.Add(archive(f, object{"release": "1", "files": object{"a": object{"type": "source_map", "url": "~/a.js.map"}}}, map[string]string{"a": "{}"}))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := open(t, text)
		if err != nil {
			if ours := (*sourcemap.Error)(nil); !errors.As(err, &ours) || !utf8.ValidString(err.Error()) {
				t.Fatalf("%T %q is not for the one who sent the bundle", err, err)
			}
			return
		}
		for _, m := range b.Maps {
			if m.URL == "" && m.DebugID == "" || len(m.URL) > sourcemap.LongestURL || !utf8.ValidString(m.URL) {
				t.Fatalf("%+v", m)
			}
			if text, err := b.Read(m); err == nil && len(text) > bundle.LargestMap {
				t.Fatalf("%d bytes", len(text))
			}
		}
	})
}
