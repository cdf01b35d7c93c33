package db

import "strings"

// likeEscape takes the meaning from what LIKE … ESCAPE '\' would read as a pattern.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// EscapeLike returns a text as LIKE … ESCAPE '\\' matches it literally.
func EscapeLike(text string) string { return likeEscape.Replace(text) }

// Like is the LIKE pattern for a text in which * stands for any text.
func Like(text string) string { return strings.ReplaceAll(EscapeLike(text), "*", "%") }

// Containing is the LIKE pattern for whatever contains the text; what must contain nothing must be empty.
func Containing(text string) string {
	if text == "" {
		return ""
	}
	return "%" + Like(text) + "%"
}
