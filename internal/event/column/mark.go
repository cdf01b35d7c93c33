package column

import (
	"maps"
	"slices"
	"strings"

	"sett/internal/event/payload"
)

// Stored returns the facets of a notice as blocks have them: that all of them are marked goes without saying.
func Stored(facets string) string {
	return strings.Replace(facets, "\n"+payload.MarkKey+"="+payload.MarkKnown+"\n", "\n", 1)
}

// Unstored returns what Stored was given, up to the order of its lines.
func Unstored(facets string) string { return payload.WithMarks(facets, nil) }

// MarksOf returns the marks of some notices, each once, between blanks.
func MarksOf(facets []string) string {
	all := map[string]bool{}
	for _, text := range facets {
		payload.Marks(text, func(mark string) { all[mark] = true })
	}
	delete(all, payload.MarkKnown)
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
