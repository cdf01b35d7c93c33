package probe

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A text is found wherever the page is cut into pieces, and only if it is there.
func TestSearchFindsAcrossPieces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 0, 12, -1)
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 1, 4, -1).Draw(t, "text")
		pieces := rapid.SliceOf(letters).Draw(t, "pieces")
		p := &search{text: []byte(text)}
		for _, piece := range pieces {
			if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		whole := strings.Join(pieces, "")
		if p.found != strings.Contains(whole, text) || string(p.head) != whole[:min(len(whole), keptBytes)] {
			t.Errorf("found %t, kept %q", p.found, p.head)
		}
	})
}
