package web

import (
	"cmp"
	"slices"

	"sett/internal/sett"
)

// otherLanguage is what a project has whose language is none of the list.
const otherLanguage = "other"

// LanguageName is what people call a language of sett.Languages.
func LanguageName(word string) string {
	return map[string]string{
		"elixir": "Elixir", "golang": "Go", "java": "Java", "js": "JavaScript", "node": "Node.js", "php": "PHP", "python": "Python", "ruby": "Ruby",
		otherLanguage: "Another language",
	}[word]
}

// LanguageChoices are the languages that a project can have, by name and the other ones last.
func LanguageChoices() (choices []Choice) {
	for _, word := range sett.Languages {
		choices = append(choices, Choice{Value: word, Label: LanguageName(word)})
	}
	slices.SortFunc(choices, func(a, b Choice) int {
		if last := cmp.Compare(rank(a), rank(b)); last != 0 {
			return last
		}
		return cmp.Compare(a.Label, b.Label)
	})
	return choices
}

func rank(c Choice) int {
	if c.Value == otherLanguage {
		return 1
	}
	return 0
}
