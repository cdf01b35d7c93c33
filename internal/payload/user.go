package payload

import "strings"

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
