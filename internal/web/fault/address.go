package fault

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"sett/internal/event/payload"
	"sett/internal/sett/faults"
)

// webLink returns an address that a client sent if it is safe as a link, else "".
func webLink(text string) string {
	if len(text) > 2000 || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

// sourceLink returns the URL of a source line by the template of the project, or "".
func sourceLink(template, revision, file, line string) string {
	file = strings.TrimPrefix(strings.TrimPrefix(file, "[PROJECT_ROOT]"), "/")
	if file == "" || strings.Contains(template, "[sha]") && revision == "" {
		return ""
	}
	parts := strings.Split(file, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return webLink(strings.NewReplacer("[sha]", url.PathEscape(revision), "[file]", strings.Join(parts, "/"), "[line]", url.QueryEscape(line)).Replace(template))
}

// userLink returns the URL of a user by the template of the project, or "" if the notice lacks a value of the template:
// [user_id] or [user_email].
func userLink(template string, u *payload.User) string {
	if template == "" || u == nil {
		return ""
	}
	id, email := idOf(u), u.Email
	if id == "" && strings.Contains(template, "[user_id]") || email == "" && strings.Contains(template, "[user_email]") {
		return ""
	}
	return webLink(strings.NewReplacer("[user_id]", url.QueryEscape(id), "[user_email]", url.QueryEscape(email)).Replace(template))
}

// linkedUser is the affected user of a notice for user_url: user_id and user_email of the context take precedence over the
// field by which the project counts users.
func linkedUser(n faults.Notice) *payload.User {
	var u payload.User
	if n.Request.User != nil {
		u = *n.Request.User
	}
	switch id := n.Request.Context["user_id"].(type) {
	case nil, map[string]any, []any, bool:
	default:
		if fmt.Sprint(id) != "" {
			u.ID = id
		}
	}
	if email, ok := n.Request.Context["user_email"].(string); ok && email != "" {
		u.Email = email
	}
	return &u
}

// idOf returns the ID of a user as text, "" for none.
func idOf(u *payload.User) string {
	if u.ID == nil {
		return ""
	}
	return fmt.Sprint(u.ID)
}

// cut shortens a text to a number of characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// length returns the number of characters of a text.
func length(text string) int64 { return int64(utf8.RuneCountInString(text)) }
