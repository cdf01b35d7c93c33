package column

import (
	"maps"
	"slices"
	"strings"

	"sett/internal/payload"
)

// Marked returns the facets of a notice with the mark that they may leave anything out, if an earlier version has stored so many of them.
func Marked(facets string) string { return payload.WithMark(facets, payload.MarkAny) }

// MarksOf returns the marks of some notices, each once, between blanks.
func MarksOf(facets []string) string {
	all := map[string]bool{}
	for _, text := range facets {
		payload.Marks(text, func(mark string) { all[mark] = true })
	}
	delete(all, payload.MarkWhole)
	if len(all) == 0 {
		return ""
	}
	if len(all) > mostMarks {
		return everyMark
	}
	return " " + strings.Join(slices.Sorted(maps.Keys(all)), " ") + " "
}

// A block names so many marks at most; with more, it may have any.
const (
	mostMarks = 1000
	everyMark = " " + payload.MarkAny + " "
)
