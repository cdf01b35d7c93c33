package fault

import (
	"net/url"
	"strings"
	"unicode/utf8"
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

// userLink returns where a user is shown, by the template of the project, or "". A template that wants an address has none for
// an id, and the other way round.
func userLink(template, user string) string {
	mail := strings.Contains(user, "@")
	if template == "" || user == "" || mail && strings.Contains(template, "[user_id]") || !mail && strings.Contains(template, "[user_email]") {
		return ""
	}
	return webLink(strings.NewReplacer("[user_id]", url.QueryEscape(user), "[user_email]", url.QueryEscape(user)).Replace(template))
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
