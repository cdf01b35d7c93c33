package column_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sett/internal/event/column"
	"sett/internal/event/payload"
)

// An exact value is found in the same rows in texts and in columns, and no filter denies a row that has it.
func TestExactValues(t *testing.T) {
	t.Parallel()
	encoder := column.NewEncoder()
	rapid.Check(t, func(t *rapid.T) {
		facets := rapid.SliceOfN(rapid.Custom(drawFacets), 1, 70).Draw(t, "rows")
		value := rapid.SampledFrom([]string{"a", "A", "ab", "web-1", "a=b", "=b", "b", "*", "É"}).Draw(t, "value")
		var keys []string
		if rapid.Bool().Draw(t, "of some keys") {
			keys = rapid.SliceOfN(rapid.SampledFrom([]string{"user", "context.user_id", "context.Plan", "file", "nothing"}), 1, 3).Draw(t, "keys")
		}
		b, err := encoder.Encode(facets)
		if err != nil {
			t.Fatal(err)
		}
		e, found := column.NewExact(value, keys...), column.NewSet(len(facets))
		for _, number := range e.In() {
			if b.Parts[number] == nil {
				continue
			}
			p, err := column.OpenPart(b.Parts[number], len(facets))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := e.Rows(p, len(facets))
			if err != nil {
				t.Fatal(err)
			}
			found.Or(rows)
		}
		may := len(e.Filters()) == 0
		for _, number := range e.Filters() {
			if b.Filters[number] == nil {
				continue
			}
			f, err := column.OpenFilter(b.Filters[number])
			if err != nil {
				t.Fatal(err)
			}
			may = may || e.MayHave(number, f)
		}
		for row, text := range facets {
			want := false
			for line := range strings.SplitSeq(text, "\n") {
				key, had, ok := strings.Cut(line, "=")
				of := len(keys) == 0 || slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, key) })
				want = want || ok && of && had == strings.TrimPrefix(payload.FacetLine("", value), "=")
			}
			if got := e.Match(payload.WithMarks(text, nil)) != column.No; got != want {
				t.Errorf("text of row %d: %v, want %v: %q", row, got, want, text)
			}
			if got := found.Has(row); got != want {
				t.Errorf("row %d: %v, want %v: %q", row, got, want, text)
			}
			if want && !may {
				t.Errorf("the filters deny row %d: %q", row, text)
			}
		}
	})
}
