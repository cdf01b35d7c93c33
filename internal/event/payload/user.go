package payload

import (
	"strings"
	"unicode"
)

// UserFields returns where a notice names the affected user: dotted paths, best first, each beginning with "context.",
// "params." or "session.". A project that has chosen a field (user_search_field) is looked at there alone, so that one
// user never appears under two kinds of label; a path that names no section is one of the context's. Otherwise the
// names that the clients document are tried (contract: user_id and user_email in the error context).
func UserFields(searchField string) []string {
	if searchField == "" {
		return []string{"context.user_email", "context.user_id", "context.user.email", "context.user.id"}
	}
	switch section, _, _ := strings.Cut(searchField, "."); section {
	case "context", "params", "session":
		return []string{searchField}
	}
	return []string{"context." + searchField}
}

// NamesUser reports whether the value at a path of a notice, such as "context.user.email", is the id, email address or name
// of the affected user: what the search key "user" looks for, beside the project's own field. Case does not count.
func NamesUser(path []byte) bool {
	const section, longest = "context.", len("user.username")
	if len(path) < len(section) || len(path) > len(section)+longest || string(path[:len(section)]) != section {
		return false
	}
	var field [longest]byte
	switch n := copy(field[:], path[len(section):]); string(lowerASCII(field[:n])) {
	case "user", "user.id", "user.email", "user.name", "user.username",
		"user_id", "user_email", "user_name", "userid", "useremail", "username":
		return true
	}
	return false
}

// UserPaths lists the paths for which NamesUser holds, in lower case.
func UserPaths() []string {
	return []string{
		"context.user", "context.user.id", "context.user.email", "context.user.name", "context.user.username",
		"context.user_id", "context.user_email", "context.user_name", "context.userid", "context.useremail", "context.username",
	}
}

func lowerASCII(text []byte) []byte {
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] = c | 0x20
		}
	}
	return text
}

// UserText returns what searches for a user compare: the value without what is blank around it; "" names no user.
func UserText(value string) string {
	value = strings.ReplaceAll(value, "\x00", "\uFFFD")
	return strings.TrimFunc(value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// User is the affected user as a notice shows one; either field may be empty.
type User struct {
	Email string `json:"email"`
	ID    any    `json:"id"` // a string or a number, as reported; null when unknown
}

// readUser finds the affected user in the sections of a request. The project's own field, where it has one, decides
// which user it is; the documented names complete it.
func readUser(sections map[string]any, searchField string) *User {
	at := func(path string) any { return scalarAt(sections, strings.Split(path, ".")) }
	email := firstText(at("context.user_email"), at("context.user.email"))
	id := at("context.user_id")
	if TextOf(id) == "" {
		id = at("context.user.id")
	}
	if searchField != "" {
		switch label := at(UserFields(searchField)[0]); {
		case strings.Contains(TextOf(label), "@"):
			email = TextOf(label)
		case TextOf(label) != "":
			id = label
		}
	}
	if TextOf(id) == "" {
		id = nil
	}
	if email == "" && id == nil {
		return nil
	}
	return &User{Email: email, ID: id}
}

// scalarAt follows a path through objects and returns the text, number or boolean at its end, or nil.
func scalarAt(v any, path []string) any {
	for _, key := range path {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[key]
	}
	switch v.(type) {
	case map[string]any, []any:
		return nil
	}
	return v
}
