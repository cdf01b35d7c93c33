package fault

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"sett/internal/sett"
)

// webLink returns an address that a client sent when a browser may be led there, else "".
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

// sourceLink returns where a line of the source is shown, by the template of the project, or "".
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

// userLink returns where a user is shown, by the template of the project, or "" when the notice lacks what the template asks
// for: [user_id] stands for the id and [user_email] for the address.
func userLink(template string, u *sett.NoticeUser) string {
	if template == "" || u == nil {
		return ""
	}
	id, email := idOf(u), u.Email
	if id == "" && strings.Contains(template, "[user_id]") || email == "" && strings.Contains(template, "[user_email]") {
		return ""
	}
	return webLink(strings.NewReplacer("[user_id]", url.QueryEscape(id), "[user_email]", url.QueryEscape(email)).Replace(template))
}

// linkedUser is whom a notice happened to, as user_url means it: user_id and user_email of the context before anything that
// a project has chosen to count users by.
func linkedUser(n sett.Notice) *sett.NoticeUser {
	var u sett.NoticeUser
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

// idOf is the id of a user as a text, "" for none.
func idOf(u *sett.NoticeUser) string {
	if u.ID == nil {
		return ""
	}
	return fmt.Sprint(u.ID)
}

// cut shortens a text to so many characters.
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

// length is how many characters a text has.
func length(text string) int64 { return int64(utf8.RuneCountInString(text)) }
