package web

import (
	"cmp"
	"slices"

	"sett/internal/sett/accounts"
)

// otherLanguage is the language of projects whose language is not in the list.
const otherLanguage = "other"

// LanguageName returns the display name of a language of accounts.Languages.
func LanguageName(word string) string {
	return map[string]string{
		"elixir": "Elixir", "golang": "Go", "java": "Java", "js": "JavaScript", "node": "Node.js", "php": "PHP", "python": "Python", "ruby": "Ruby",
		otherLanguage: "Another language",
	}[word]
}

// LanguageChoices returns the languages of projects, sorted by name, with the other one last.
func LanguageChoices() (choices []Choice) {
	for _, word := range accounts.Languages {
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
