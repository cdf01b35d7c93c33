package manual

import (
	"slices"
	"testing"

	"sett/docs"
)

// Each part that a topic names is in its chapter.
func TestPartsOfTopicsAreThere(t *testing.T) {
	t.Parallel()
	for _, topic := range topics {
		for _, from := range topic.parts {
			source, err := docs.Files.ReadFile(from.chapter + ".md")
			if err != nil {
				t.Errorf("%s: %v", topic.name, err)
			}
			parts := partsOf(source)
			for _, heading := range from.headings {
				if !slices.ContainsFunc(parts, func(p chapterPart) bool { return p.heading == heading }) {
					t.Errorf("%s: %s has no part %q", topic.name, from.chapter, heading)
				}
			}
		}
	}
}
