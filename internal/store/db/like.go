package db

import "strings"

// likeEscape escapes the characters that LIKE … ESCAPE '\' would read as a pattern.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// EscapeLike escapes a text so that LIKE … ESCAPE '\\' matches it literally.
func EscapeLike(text string) string { return likeEscape.Replace(text) }

// Like is the LIKE pattern for a text in which * stands for any text.
func Like(text string) string { return strings.ReplaceAll(EscapeLike(text), "*", "%") }

// Containing is the LIKE pattern for values that contain the text; an empty text matches only empty values.
func Containing(text string) string {
	if text == "" {
		return ""
	}
	return "%" + Like(text) + "%"
}
