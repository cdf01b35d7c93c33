package sett

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestName is how many characters a name or an email address has at most.
const longestName = 255

// CheckName notes what keeps a text from being the name of a person, an account or a project: it is blank, too long, or
// more than a line of text.
func CheckName(p *Problems, field, name string) {
	if strings.TrimSpace(name) == "" {
		p.Add(field, "can't be blank")
	}
	checkText(p, field, name, longestName)
}

// CheckEmail notes what keeps a text from being an email address. Whether mail arrives there only a mail can tell, so
// no more is asked than something on both sides of one @.
func CheckEmail(p *Problems, field, address string) {
	local, domain, _ := strings.Cut(address, "@")
	if local == "" || domain == "" || strings.Contains(domain, "@") || strings.Contains(address, " ") {
		p.Add(field, "must be an email address such as you@example.org")
	}
	checkText(p, field, address, longestName)
}

// checkText notes that a text is longer than so many characters, or none that every engine can store and show in a
// line.
func checkText(p *Problems, field, text string, most int) {
	if utf8.RuneCountInString(text) > most {
		p.Add(field, "is too long (maximum is %d characters)", most)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		p.Add(field, "must not contain control characters")
	}
	if !utf8.ValidString(text) {
		p.Add(field, "must be UTF-8")
	}
}

// quoted is a text as an error repeats it: without its end where it is long, and with nothing in it that a reader cannot
// see.
func quoted(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return strconv.Quote(text)
}
