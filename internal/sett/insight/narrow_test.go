package insight

import (
	"slices"
	"testing"
	"time"
)

// Rows are narrowed by the cheap parts of a filter alone. Other columns are not read.
func TestNarrow(t *testing.T) {
	t.Parallel()
	cheap := func(key string) bool { return slices.Contains([]string{"klass", "n"}, key) }
	for query, want := range map[string][]int{
		`filter klass == "A"`:                                            {0, 2},
		`filter klass == "A" and dear == "x"`:                            {0, 2},
		`filter klass == "A" or dear == "x"`:                             {0, 1, 2},
		`filter not (klass == "A")`:                                      {1},
		`filter n + 1 > 2 and dear == "x"`:                               {1, 2},
		`filter concat(klass, @preview) == "x"`:                          {0, 1, 2},
		`filter dear == "x" | stats count() by klass | filter count > 5`: {0, 1, 2},
		`stats count()`:                                                  {0, 1, 2},
	} {
		statement, err := ParseStatement(query)
		if err != nil {
			t.Fatal(err)
		}
		f := FrameFrom(Source{At: []int64{0, 1, 2}, Column: func(key string) (*Column, error) {
			if !cheap(key) {
				t.Errorf("%s: %s is read", query, key)
			}
			values := map[string][]string{"klass": {`"A"`, `"B"`, `"A"`}, "n": {"1", "2", "3"}}[key]
			return ColumnOf(3, func(row int) string { return values[row] }), nil
		}, Keys: func() ([]string, error) {
			t.Errorf("%s: all keys are read", query)
			return nil, nil
		}})
		rows, err := NewRun(statement.Plan(time.UnixMicro(0), time.UnixMicro(9), time.UTC)).Narrow(f, cheap)
		if err != nil {
			t.Fatal(err)
		}
		for row := range 3 {
			if rows.Has(row) != slices.Contains(want, row) {
				t.Errorf("%s: row %d is wanted: %v", query, row, rows.Has(row))
			}
		}
	}
}
