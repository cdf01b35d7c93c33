package sett

import (
	"strings"
	"unicode"
)

// Slug returns a name as it stands in URLs and variables of other services: letters and digits in lower case, with a dash between words, such
// as "acme-shop" for "Acme Shop".
func Slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
}

// Named is something that has an id and a name.
type Named struct{ ID, Name string }

// FindNamed returns the index of the one that a client names by its id, else by its name, else by the slug of its name. What is the thing's
// noun, such as "Project". The error is NotFound, or Invalid if more than one has the name.
func FindNamed(what, asked string, all []Named) (int, error) {
	slug := Slug(asked)
	for _, is := range []func(Named) bool{
		func(n Named) bool { return n.ID == asked },
		func(n Named) bool { return n.Name == asked },
		func(n Named) bool { return slug != "" && Slug(n.Name) == slug },
	} {
		found := -1
		for i, n := range all {
			if !is(n) {
				continue
			}
			if found >= 0 {
				return 0, Errorf(Invalid, "More than one %s is called %.100q. Use its id instead, such as %s.", strings.ToLower(what), asked, all[found].ID)
			}
			found = i
		}
		if found >= 0 {
			return found, nil
		}
	}
	return 0, Errorf(NotFound, "%s %.100q not found. Use its id, or its name in lower case with dashes, and a token of a user who can see it.", what, asked)
}
