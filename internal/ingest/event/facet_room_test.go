package event

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/event/payload"
	"sett/internal/sett/faults"
)

// What does not fit is cut fairly, whatever is sent: from the end of those sections that have more than their share.
func TestFacetRoom(t *testing.T) {
	t.Parallel()
	const line = payload.MaxFacetText // bytes of a facet at most, here
	rapid.Check(t, func(t *rapid.T) {
		var room facetRoom
		sections := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(8, line), 0, 60), 5, 5).Draw(t, "lengths by section")
		early := rapid.SliceOfN(rapid.IntRange(8, line), 0, 30).Draw(t, "lengths of early facets")
		facet := func(section, i, length int) (key []byte, value string) {
			key = []byte(fmt.Sprint(section, "-", i))
			return key, strings.Repeat("v", max(length-len(key)-len("=\n"), 0))
		}
		fill := func() string {
			room.reset()
			for i, length := range early {
				key, value := facet(0, i, length)
				room.add(key, value, true)
			}
			for s, lengths := range sections {
				for i, length := range lengths {
					key, value := facet(s+1, i, length)
					room.add(key, value, false)
				}
				room.endSection()
			}
			return room.text()
		}
		text := fill()
		if again := fill(); again != text {
			t.Fatalf("not the same when the memory is used again (-first +second):\n%s", cmp.Diff(text, again))
		}
		text = unmarked(text)
		if len(text) > payload.MaxFacets || text != "" && (text[0] != '\n' || text[len(text)-1] != '\n') {
			t.Fatalf("%d bytes: %q", len(text), text)
		}
		kept := map[string]int{} // facets by section
		for _, l := range faults.SplitLines(text) {
			section, rest, _ := strings.Cut(l, "-")
			if n, _, _ := strings.Cut(rest, "="); n != fmt.Sprint(kept[section]) {
				t.Fatalf("facet %.20q where number %d of its section is due", l, kept[section])
			}
			kept[section]++
		}
		cut := 0
		for s, lengths := range sections {
			if n := kept[fmt.Sprint(s+1)]; n < len(lengths) {
				cut++
				if sum(lengths[:n]) < (payload.MaxFacets-maxFirst)/len(sections)-line-1 {
					t.Errorf("section %d has only %d bytes", s, sum(lengths[:n]))
				}
			}
		}
		if room := payload.MaxFacets - len(text); cut > 0 && room > len(sections)*(line+1) {
			t.Errorf("%d bytes were free, and %d sections were cut", room, cut)
		}
	})
}

func sum(lengths []int) (total int) {
	for _, l := range lengths {
		total += l
	}
	return total
}
