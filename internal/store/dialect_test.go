package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Lists of many lengths have few texts, and mean what they mean.
func TestLengthsOfLists(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{}
	for n := 1; n <= 1000; n++ {
		values := make([]int, n)
		for i := range values {
			values[i] = i
		}
		list, args := in(3, values)
		texts[list] = true
		if args[0] != 0 || args[n-1] != n-1 || len(args) > n+n/4+1 || slices.ContainsFunc(args[n:], func(v any) bool { return v != n-1 }) {
			t.Fatalf("%d values became %v", n, args)
		}
		if want := fmt.Sprintf(",$%d)", len(args)+2); n > 1 && !strings.HasSuffix(list, want) {
			t.Fatalf("%s has %d arguments", list, len(args))
		}
	}
	if len(texts) > 40 {
		t.Errorf("%d texts", len(texts))
	}
	if list, args := in(1, []int(nil)); list != "(NULL)" || args != nil {
		t.Errorf("no values are %s, %v", list, args)
	}
}
