package column_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/event/column"
	"sett/internal/event/payload"
	"sett/internal/event/query"
)

// drawFacets draws the facets of a notice, of few keys and values, so that searches find some.
func drawFacets(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("\n")
	for range rapid.IntRange(0, 6).Draw(t, "facets") {
		key := rapid.SampledFrom([]string{"hostname", "file", "user", "context.plan", "context.user_id", "params.a.b", "session.x", "request.y"}).Draw(t, "key")
		value := rapid.SampledFrom([]string{"", "a", "ab", "web-1", "a=b", "app/order.rb", "é"}).Draw(t, "value")
		if rapid.IntRange(0, 3).Draw(t, "unlike") == 0 {
			value = rapid.StringMatching(`[a-c]{1,3}`).Draw(t, "unlike value")
		}
		b.WriteString(payload.FacetLine(key, value) + "\n")
	}
	return b.String()
}

func drawSearch(t *rapid.T) query.Search {
	var terms []string
	for range rapid.IntRange(1, 3).Draw(t, "terms") {
		key := rapid.SampledFrom([]string{"hostname", "file", "context.plan", "context.user_id", "params.a.b", "session.nothing"}).Draw(t, "asked key")
		value := rapid.SampledFrom([]string{"", "a", "A", "ab", "web-*", "*b", "a*b", "*", "order", "c*", "nothing"}).Draw(t, "asked value")
		minus := rapid.SampledFrom([]string{"", "", "-"}).Draw(t, "minus")
		terms = append(terms, fmt.Sprintf("%s%s:%s", minus, key, value))
	}
	s, problem := query.Parse(strings.Join(terms, " "), time.Unix(0, 0))
	if problem != "" {
		t.Fatal(problem)
	}
	return s
}

// matches says in the plainest way what a search means.
func matches(s query.Search, facets string) bool {
	for _, t := range s.Terms {
		key, _ := t.FacetKey()
		var values []string
		for line := range strings.SplitSeq(facets, "\n") {
			if value, ok := strings.CutPrefix(line, key+"="); ok {
				values = append(values, value)
			}
		}
		holds := slices.ContainsFunc(t.Values, func(v query.Value) bool {
			text := strings.ToLower(v.Text)
			if t.Key == query.File && text != "" {
				text = "*" + text + "*"
			}
			return text == "" && len(values) == 0 || slices.ContainsFunc(values, func(value string) bool {
				return value == text || text != "" && query.MatchesPattern(value, text)
			})
		})
		if holds == t.Negated {
			return false
		}
	}
	return true
}

// A search finds the same rows in the text of their facets, in columns, and where filters rule nothing out.
func TestColumnsFindWhatTextsContain(t *testing.T) {
	t.Parallel()
	encoder := column.NewEncoder()
	rapid.Check(t, func(t *rapid.T) {
		facets := rapid.SliceOfN(rapid.Custom(drawFacets), 1, 70).Draw(t, "rows")
		search := drawSearch(t)
		block, err := encoder.Encode(facets)
		if err != nil {
			t.Fatal(err)
		}
		terms := column.Terms(search)
		found := column.All(len(facets))
		for i := range terms {
			found.And(rowsOf(t, block, &terms[i], len(facets)))
		}
		for row, text := range facets {
			want := matches(search, text)
			if got := column.Match(terms, payload.WithMarks(text, nil)) == column.Yes; got != want {
				t.Errorf("text of row %d: %v, want %v: %q", row, got, want, text)
			}
			if got := found.Has(row); got != want {
				t.Errorf("row %d: %v, want %v: %q", row, got, want, text)
			}
		}
	})
}

// rowsOf reads a part only if the filter does not answer for it, and checks the answer.
func rowsOf(t *rapid.T, block *column.Encoded, term *column.Term, rows int) column.Set {
	var part *column.Part
	if b := block.Parts[term.Part]; b != nil {
		var err error
		if part, err = column.OpenPart(b, rows); err != nil {
			t.Fatal(err)
		}
	}
	found, unsure, err := term.Rows(part, rows, column.NewSet(rows))
	if unsure.Len() > 0 {
		t.Errorf("%d rows are not sure", unsure.Len())
	}
	if err != nil {
		t.Fatal(err)
	}
	var f column.Filter
	if b := block.Filters[term.Filter]; b != nil {
		if f, err = column.OpenFilter(b); err != nil {
			t.Fatal(err)
		}
	}
	switch n := found.Len(); term.Ask(f) {
	case column.None:
		if n != 0 {
			t.Fatalf("a filter denies %d rows", n)
		}
	case column.Every:
		if n != rows {
			t.Fatalf("a filter promises %d rows, %d match", rows, n)
		}
	case column.Some:
	}
	return found
}

// unlike returns the facets of so many notices that have nothing in common but their keys.
func unlike(rows int) (facets []string) {
	for row := range rows {
		facets = append(facets, fmt.Sprintf("\ncontext.id=%x\nhostname=web-%d\n", uint64(row)*0x9e3779b97f4a7c15, row%20))
	}
	return facets
}

// Columns of one alphabet are compressed together, so that random values take little more than their bits: those of a row here have 48 bytes.
func TestPartsAreSmall(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const rows = 256
	facets := make([]string, rows)
	for i := range facets {
		facets[i] = fmt.Sprintf("\ncontext.user_id=%016x%016x\nfile=%010d\nhostname=%s\nrequest.url=%016x\nuser=%08d\n", r.Uint64(), r.Uint64(), r.Int64N(1e10),
			strconv.FormatUint(r.Uint64()|1<<63, 36)+strconv.FormatUint(r.Uint64()|1<<63, 36), r.Uint64(), r.Int64N(1e8))
	}
	block, err := column.NewEncoder().Encode(facets)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(block.Parts[0]) / rows; n > 55 {
		t.Errorf("%d bytes a row", n)
	}
	p, err := column.OpenPart(block.Parts[0], rows)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Lines(p.Keys(), nil); err != nil || !slices.Equal(got, facets) {
		t.Errorf("other facets than were stored, %v", err)
	}
}

// The file was written when chunks had successive columns, whatever their alphabets.
func TestPartsOfEarlierVersionsAreRead(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/part-of-successive-columns")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 2000 {
		want = append(want, fmt.Sprintf("\ncontext.user=%d\ncontext.user_id=user-%06d\nhostname=web-%d\nrequest.url=https://example.test/orders/%06d\n", i%7, i, i%3, i))
	}
	p, err := column.OpenPart(b, len(want))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Lines(p.Keys(), nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("other facets than were stored, %v", err)
	}
}

// Of 256 blocks that do not contain a value, a filter lets one through.
func TestFiltersRuleOut(t *testing.T) {
	t.Parallel()
	block, err := column.NewEncoder().Encode(unlike(2_000))
	if err != nil {
		t.Fatal(err)
	}
	let := 0
	for i := range 10_000 {
		s, _ := query.Parse(fmt.Sprintf("context.id:absent%d", i), time.Unix(0, 0))
		term := column.Terms(s)[0]
		f, err := column.OpenFilter(block.Filters[term.Filter])
		if err != nil {
			t.Fatal(err)
		}
		if term.Ask(f) != column.None {
			let++
		}
	}
	if let < 5 || let > 100 {
		t.Errorf("%d of 10,000 absent values pass, want some 40", let)
	}
}

// A quick filter has all facets of its bundle, and rules out nearly everything else.
func TestQuickFiltersRuleOut(t *testing.T) {
	t.Parallel()
	ask := func(f column.Filter, text string) column.Answer {
		s, _ := query.Parse(text, time.Unix(0, 0))
		return column.Terms(s)[0].Ask(f)
	}
	for _, n := range []int{0, 1, 32, 1_000} {
		texts := unlike(n)
		f, err := column.OpenFilter(column.AppendQuickFilter(nil, []byte(strings.Join(texts, ""))))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			for line := range strings.FieldsSeq(text) {
				key, value, _ := strings.Cut(line, "=")
				if ask(f, key+":"+value) != column.Some {
					t.Fatalf("a filter of %d notices does not know %s", n, line)
				}
			}
		}
		let := 0
		for i := range 10_000 {
			if ask(f, fmt.Sprint("context.id:absent", i)) != column.None {
				let++
			}
		}
		if let > 200 {
			t.Errorf("%d of 10,000 absent values pass a filter of %d notices", let, n)
		}
		for _, text := range []string{"context.unknown:1*", "-context.unknown:*"} {
			if ask(f, text) != column.Some {
				t.Errorf("a filter of %d notices knows of no key, but rules out %s", n, text)
			}
		}
	}
	for _, damaged := range []string{"\x03", "\x03 too short"} {
		if _, err := column.OpenFilter([]byte(damaged)); err == nil {
			t.Errorf("opened %q", damaged)
		}
	}
}

func TestLinesAndValues(t *testing.T) {
	t.Parallel()
	facets := []string{"\nhostname=a\nfile=x\nfile=y\n", "\n", "\nhostname=b\n", "\nhostname=a\n"}
	block, err := column.NewEncoder().Encode(facets)
	if err != nil {
		t.Fatal(err)
	}
	p, err := column.OpenPart(block.Parts[0], len(facets))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Lines([]string{"hostname", "nothing", "file"}, nil); err != nil || !slices.Equal(got, facets) {
		t.Errorf("lines %q, %v; want %q", got, err, facets)
	}
	counts := map[string]int{}
	without := column.NewSet(len(facets))
	without.Add(1)
	without.Add(2)
	if got, err := p.Lines([]string{"hostname"}, without); err != nil || !slices.Equal(got, []string{"\nhostname=a\n", "", "", "\nhostname=a\n"}) {
		t.Errorf("of some rows lines %q, %v", got, err)
	}
	without = column.NewSet(len(facets))
	without.Add(2)
	if err := p.Values("hostname", without, func(value string, rows int) { counts[value] = rows }); err != nil || !cmp.Equal(counts, map[string]int{"a": 2}) {
		t.Errorf("values %v, %v", counts, err)
	}
	if got := p.Keys(); !slices.Equal(got, []string{"file", "hostname"}) {
		t.Errorf("keys %q", got)
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 200).Draw(t, "rows")
		s := column.NewSet(rows)
		has := rapid.SliceOfN(rapid.Bool(), rows, rows).Draw(t, "has")
		for i, in := range has {
			if in {
				s.Add(i)
			}
		}
		from := rapid.IntRange(0, rows).Draw(t, "from")
		to := rapid.IntRange(from, rows).Draw(t, "to")
		want := 0
		for _, in := range has[from:to] {
			if in {
				want++
			}
		}
		if got := s.CountIn(from, to); got != want {
			t.Fatalf("CountIn(%d, %d) = %d, want %d", from, to, got, want)
		}
		again, err := column.ReadSet(s.Bytes(), rows)
		if err != nil || !slices.Equal(s, again) {
			t.Fatalf("stored and read: %v, %v", again, err)
		}
	})
}

// What is damaged is an error or wrong, and never a panic.
func FuzzOpen(f *testing.F) {
	block, err := column.NewEncoder().Encode(unlike(300))
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range block.Parts {
		f.Add(p, []byte{})
	}
	for _, b := range block.Filters {
		f.Add([]byte{}, b)
	}
	s, _ := query.Parse("hostname:web-1 context.id:1* -context.plan:a", time.Unix(0, 0))
	terms := column.Terms(s)
	f.Fuzz(func(t *testing.T, part, filter []byte) {
		if f, err := column.OpenFilter(filter); err == nil {
			for i := range terms {
				terms[i].Ask(f)
			}
		}
		p, err := column.OpenPart(part, 300)
		if err != nil {
			return
		}
		for i := range terms {
			_, _, _ = terms[i].Rows(p, 300, column.NewSet(300))
		}
		_, _ = p.Lines(p.Keys(), nil)
		for _, key := range p.Keys() {
			_ = p.Values(key, nil, func(string, int) {})
		}
	})
}
