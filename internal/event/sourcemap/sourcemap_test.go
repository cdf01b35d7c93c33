package sourcemap_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/event/sourcemap"
)

// vlq writes numbers as mappings have them.
func vlq(numbers ...int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var b strings.Builder
	for _, n := range numbers {
		bits := uint64(n) << 1
		if n < 0 {
			bits = uint64(-n)<<1 | 1
		}
		for ; bits > 31; bits >>= 5 {
			b.WriteByte(digits[bits&31|32])
		}
		b.WriteByte(digits[bits])
	}
	return b.String()
}

type origin struct{ line, column, source, sourceLine, sourceCol, name int }

// mappings writes origins, which are sorted, as mappings have them.
func mappings(origins []origin) string {
	var b strings.Builder
	before, line := origin{}, 0
	for _, o := range origins {
		if b.Len() > 0 && o.line == line {
			b.WriteByte(',')
		}
		if o.line > line {
			b.WriteString(strings.Repeat(";", o.line-line))
			before.column = 0
		}
		line = o.line
		numbers := []int{o.column - before.column}
		before.column = o.column
		if o.source >= 0 {
			numbers = append(numbers, o.source-before.source, o.sourceLine-before.sourceLine, o.sourceCol-before.sourceCol)
			before.source, before.sourceLine, before.sourceCol = o.source, o.sourceLine, o.sourceCol
			if o.name >= 0 {
				numbers = append(numbers, o.name-before.name)
				before.name = o.name
			}
		}
		b.WriteString(vlq(numbers...))
	}
	return b.String()
}

func drawOrigins(t *rapid.T, lines int) (origins []origin) {
	for line := range lines {
		columns := rapid.SliceOfNDistinct(rapid.IntRange(0, 90), 0, 6, rapid.ID).Draw(t, "columns")
		slices.Sort(columns)
		for _, column := range columns {
			number := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
			origins = append(origins, origin{line, column, number("source", -1, 2), number("line", 0, 100_000), number("column", 0, 300), number("name", -1, 2)})
		}
	}
	return origins
}

// nearest is Lookup over all origins, one after another.
func nearest(origins []origin, line, column int) (p sourcemap.Position, ok bool) {
	for _, o := range origins {
		if o.line != line-1 || o.column > column {
			continue
		}
		p, ok = sourcemap.Position{}, o.source >= 0
		if ok {
			p = sourcemap.Position{Source: fmt.Sprintf("src/%d.js", o.source), Line: o.sourceLine + 1, Column: o.sourceCol, Behind: column - o.column}
		}
		if ok && o.name >= 0 {
			p.Name = fmt.Sprintf("name%d", o.name)
		}
	}
	return p, ok
}

func compare(t *rapid.T, m *sourcemap.Map, origins []origin, lines int) {
	for line := range lines + 2 {
		for column := range 100 {
			want, wanted := nearest(origins, line, column)
			got, ok := m.Lookup(line, column)
			if want.Source != got.Source || want.Line != got.Line || want.Column != got.Column || want.Name != got.Name || want.Behind != got.Behind || ok != wanted {
				t.Fatalf("%d:%d is %+v %t, want %+v %t", line, column, got, ok, want, wanted)
			}
		}
		if has := slices.ContainsFunc(origins, func(o origin) bool { return o.line == line-1 }); m.HasLine(line) != has {
			t.Fatalf("the map has line %d: %t, want %t", line, m.HasLine(line), has)
		}
	}
}

const files = `"sources":["src/0.js","src/1.js","src/2.js"],"names":["name0","name1","name2"]`

func TestLookupFindsTheNearestSegment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		origins := drawOrigins(t, 4)
		text := fmt.Sprintf(`{"mappings":%q,"version":3,%s}`, mappings(origins), files)
		m, err := sourcemap.Parse([]byte(text), sourcemap.Largest)
		if err != nil {
			t.Fatalf("parse %s: %v", text, err)
		}
		compare(t, m, origins, 4)
	})
}

// TestSectionsAreOneMap writes a map as sections, also in sections, which begin in the middle of a line.
func TestSectionsAreOneMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		origins := drawOrigins(t, 5)
		line, column := rapid.IntRange(0, 4).Draw(t, "line"), rapid.IntRange(0, 50).Draw(t, "column")
		var before, after []origin
		for _, o := range origins {
			switch {
			case o.line < line || o.line == line && o.column < column:
				before = append(before, o)
				continue
			case o.line == line:
				o.column -= column
			}
			o.line -= line
			after = append(after, o)
		}
		section := func(line, column int, more string) string {
			return fmt.Sprintf(`{"map":{"version":3,%s},"offset":{"line":%d,"column":%d}}`, more, line, column)
		}
		inner := section(0, 0, fmt.Sprintf(`%s,"mappings":%q`, files, mappings(after)))
		text := fmt.Sprintf(`{"version":3,"sections":[%s,%s]}`,
			section(0, 0, fmt.Sprintf(`"mappings":%q,%s`, mappings(before), files)), section(line, column, `"sections":[`+inner+`]`))
		m, err := sourcemap.Parse([]byte(text), sourcemap.Largest)
		if err != nil {
			t.Fatalf("parse %s: %v", text, err)
		}
		compare(t, m, origins, 5)
	})
}

func TestMapsThatToolsWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, source string }{
		"a line that browsers do not run": {")]}'\n" + `{"version":3,"sources":["a.js"],"mappings":"AAAA"}`, "a.js"},
		"a byte order mark":               {"\ufeff" + `{"version":3,"sources":["a.js"],"mappings":"AAAA"}`, "a.js"},
		"a root":                          {`{"version":3,"mappings":"AAAA","sources":["a.js"],"sourceRoot":"src"}`, "src/a.js"},
		"a root with a slash":             {`{"version":3,"mappings":"AAAA","sources":["./a.js"],"sourceRoot":"webpack:///"}`, "webpack:///./a.js"},
		"a root that is not for a URL":    {`{"version":3,"mappings":"AAAA","sources":["webpack://x/a.js"],"sourceRoot":"src"}`, "webpack://x/a.js"},
		"a null source":                   {`{"version":3,"mappings":"AAAA","sources":[null],"sourceRoot":"src","sourcesContent":null}`, ""},
		"slashes with escapes":            {`{"version":3,"mappings":"AAAA,CAgCA,CA\/BA","sources":["a\/b.js"]}`, "a/b.js"},
		"members of other tools":          {`{"x_google_ignoreList":[7],"x":{"a":[1.5e-3,true,"\"]"]},"version":3,"mappings":"AAAA","sources":["a.js"],"file":null}` + "\n", "a.js"},
		"too many files":                  {`{"version":3,"sourcesContent":["1","2"],"mappings":"AAAA","sources":["a.js"]}`, "a.js"},
		"segments that are not sorted":    {`{"version":3,"mappings":"UAAA,VAAA","sources":["a.js"]}`, "a.js"},
	} {
		p, ok := parse(t, c.text).Lookup(1, 0)
		if want := (sourcemap.Position{Source: c.source, Line: 1}); !ok || p != want {
			t.Errorf("%s: %+v %t, want %+v", name, p, ok, want)
		}
	}
	if _, ok := parse(t, `{"version":3,"mappings":"","sources":[],"names":[]}`).Lookup(1, 0); ok {
		t.Error("a map without mappings has a position")
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	few := sourcemap.Limits{Bytes: 500, Segments: 2, Sources: 2, Names: 2, Sections: 2, Depth: 1}
	section := `{"offset":{"line":0,"column":0},"map":{"version":3,"mappings":""}}`
	for _, c := range []struct{ text, want string }{
		{``, "expected an object"},
		{`(()=>{})()`, "expected an object"},
		{`{}`, "not the minified file"},
		{`{"version":2,"mappings":""}`, "has version 2"},
		{`{"version":"3","mappings":""}`, "expected a number"},
		{`{"version":3,"mappings":""`, "expected ','"},
		{`{"version":3,"mappings":""}}`, "text after the end"},
		{`{"version":3,"mappings":"`, "a string has no end"},
		{`{"version":3,"mappings":"AAAA","sources":[]}`, "mappings of the source map are damaged"},
		{`{"version":3,"mappings":"AA","sources":["a"]}`, "damaged"},
		{`{"version":3,"mappings":"AAA","sources":["a"]}`, "damaged"},
		{`{"version":3,"mappings":"AAAAA","sources":["a"]}`, "damaged"}, // no names
		{`{"version":3,"mappings":"AAAAAA","sources":["a"],"names":["a"]}`, "damaged"},
		{`{"version":3,"mappings":"D"}`, "damaged"}, // before the line
		{`{"version":3,"mappings":"!"}`, "damaged"},
		{`{"version":3,"mappings":"g"}`, "damaged"},
		{`{"version":3,"mappings":"ggggggggA"}`, "damaged"},
		{`{"version":3,"mappings":"+/////D,+/////D"}`, "damaged"},
		{`{"version":3,"mappings":"A,A,A"}`, "more than 2 segments"},
		{`{"version":3,"mappings":"","sources":["","",""]}`, "more than 2 sources"},
		{`{"version":3,"mappings":"","names":["","",""]}`, "more than 2 names"},
		{`{"version":3,"mappings":"","names":[1]}`, "expected a string"},
		{`{"version":3,"mappings":"","names":["\x"]}`, "a wrong escape"},
		{`{"version":3,"mappings":"","names":["a"`, "ends in a value"},
		{`{"version":3,"mappings":"","names":[`, "ends in a"},
		{`{"version":3,"mappings":"","x":` + strings.Repeat("[", 400) + `}`, "expected a value"},
		{`{"version":3,"sections":[{"offset":{"line":0,"column":0},"url":"a.js.map"}]}`, "not their URLs"},
		{`{"version":3,"sections":[` + section + `,` + section + `,` + section + `]}`, "too many sections"},
		{`{"version":3,"sections":[{"map":{"version":3,"sections":[` + section + `]}}]}`, "sections in sections, 1 deep"},
		{`{"version":3,"sections":[{"offset":{"line":-1,"column":0},"map":{"version":3,"mappings":""}}]}`, "expected a number"},
		{strings.Repeat(" ", 501), "has 501 bytes, and at most 500"},
	} {
		_, err := sourcemap.Parse([]byte(c.text), few)
		if ours := (*sourcemap.Error)(nil); !errors.As(err, &ours) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %v, want %q", c.text, err, c.want)
		}
	}
	_, err := sourcemap.Parse([]byte(`{"sourceRoot":"`+strings.Repeat("a", 501)+`","version":3,"mappings":""}`), sourcemap.Largest)
	if err == nil || !strings.Contains(err.Error(), "Set a shorter one") {
		t.Errorf("a long root: %v", err)
	}
}

func TestLinesAround(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content      string
		line, around int
		want         []sourcemap.Line
	}{
		{"a\nb\r\nc\nd", 2, 1, []sourcemap.Line{{1, "a"}, {2, "b"}, {3, "c"}}},
		{"a\nb\nc\nd", 4, 2, []sourcemap.Line{{2, "b"}, {3, "c"}, {4, "d"}}},
		{"a\nb", 3, 2, nil},
		{"", 1, 2, []sourcemap.Line{{1, ""}}},
		{strings.Repeat("é", 400), 1, 0, []sourcemap.Line{{1, strings.Repeat("é", 250) + "…"}}},
		{"a" + strings.Repeat("é", 400), 1, 0, []sourcemap.Line{{1, "a" + strings.Repeat("é", 249) + "…"}}},
	} {
		if diff := cmp.Diff(c.want, sourcemap.LinesAround(c.content, c.line, c.around)); diff != "" {
			t.Errorf("line %d of %.20q (-want +got):\n%s", c.line, c.content, diff)
		}
	}
}

// bundle returns a map like that of a bundle with some segments.
func bundle(segments int) []byte {
	origins := make([]origin, segments)
	for i := range origins {
		origins[i] = origin{line: i / 50_000, column: i % 50_000 * 5, source: i / 1000, sourceLine: i % 1000 / 8, sourceCol: i % 8 * 6, name: i % 3000}
	}
	var sources, contents, names []string
	for i := range segments/1000 + 1 {
		sources = append(sources, fmt.Sprintf("webpack:///./src/file%d.js", i))
		contents = append(contents, strings.Repeat("export function total(cart) { return \"sum\" }\n", 125))
	}
	for i := range 3000 {
		names = append(names, fmt.Sprintf("name%d", i))
	}
	text, _ := json.Marshal(map[string]any{"version": 3, "sources": sources, "sourcesContent": contents, "names": names, "mappings": mappings(origins)})
	return text
}

// TestBytesIsWhatAMapTakes compares what a map says with what the collector of garbage says. It is not parallel: others use memory too.
func TestBytesIsWhatAMapTakes(t *testing.T) {
	text := bundle(100_000)
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what sync.Pools hold goes with the second one
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	m, err := sourcemap.Parse(text, sourcemap.Largest)
	if err != nil {
		t.Fatal(err)
	}
	took := heap() - before
	if says := m.Bytes(); took > says*12/10 || took < says*8/10 {
		t.Errorf("the map takes %d bytes and says %d", took, says)
	}
	runtime.KeepAlive(m)
	runtime.KeepAlive(text)
}

func BenchmarkParse(b *testing.B) {
	text := bundle(60_000) // of a bundle of 300 KB
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sourcemap.Parse(text, sourcemap.Largest); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	m, err := sourcemap.Parse(bundle(60_000), sourcemap.Largest)
	if err != nil {
		b.Fatal(err)
	}
	column := 0
	for b.Loop() {
		column = (column + 7919) % 250_000
		if _, ok := m.Lookup(1, column); !ok {
			b.Fatalf("nothing at column %d", column)
		}
	}
}

// FuzzParse decodes any text. What it accepts stays within the limits, and every position of it can be looked up.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"honeybadger-webpack", "honeybadger-rollup", "sentry-webpack", "sentry-vite"} {
		f.Add(read(f, name+".js.map"))
	}
	f.Add([]byte(")]}'\n" + `{"version":3,"sections":[{"offset":{"line":1,"column":2},"map":{"version":3,"sources":[null,"a"],"names":["b"],"mappings":"AACAA,C;;gBAAA"}}]}`))
	f.Add([]byte(`{"version":3,"sourceRoot":"é","sources":["\u00e9"],"sourcesContent":[null],"mappings":"AAAA\/"}`))
	limits := sourcemap.Limits{Bytes: 1 << 20, Segments: 1000, Sources: 100, Names: 100, Sections: 10, Depth: 2}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := sourcemap.Parse(text, limits)
		if err != nil {
			if ours := (*sourcemap.Error)(nil); !errors.As(err, &ours) || !utf8.ValidString(err.Error()) {
				t.Fatalf("%T %q is not for the one who sent the map", err, err)
			}
			return
		}
		if sources, contained := m.Sources(); len(sources) > limits.Sources || contained > len(sources) || m.Bytes() > 60*len(text)+200_000 {
			t.Fatalf("%d sources, %d contained, %d bytes of %d", len(sources), contained, m.Bytes(), len(text))
		}
		for line := range 5 {
			for column := range 50 {
				p, ok := m.Lookup(line, column)
				if !ok {
					continue
				}
				if content, ok := m.Content(p); ok && p.Line < 1000 {
					sourcemap.LinesAround(content, p.Line, 5)
				}
				if p.Line < 1 || p.Column < 0 || !m.HasLine(line) {
					t.Fatalf("%d:%d is %+v", line, column, p)
				}
			}
		}
	})
}
