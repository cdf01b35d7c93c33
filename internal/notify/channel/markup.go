package channel

import (
	"math"
	"net/url"
	"strings"
)

// acknowledgeInMarkdown is the link to the page that acknowledges; "" for none.
func (m Message) acknowledgeInMarkdown() string {
	if m.Acknowledge == "" {
		return ""
	}
	return "[" + acknowledgeLabel + "](" + m.Acknowledge + ")"
}

func isEmpty(text string) bool { return text == "" }

// none is a zero-width space (U+200B): it separates characters that have a meaning together.
const none = "\u200b"

// forHTML escapes for HTML, in texts and in quoted attributes.
func forHTML(r rune) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '"':
		return "&quot;"
	}
	return string(r)
}

// forMarkdown escapes what makes text into anything else in Markdown as chat services read it, and keeps @ from calling
// people.
func forMarkdown(r rune) string {
	switch {
	case r == '@':
		return "@" + none
	case strings.ContainsRune("\\`*_~|>#[]()!", r):
		return `\` + string(r)
	}
	return string(r)
}

// place says where a message is from.
func (m Message) place() string {
	if m.Environment == "" {
		return m.Project
	}
	return m.Project + " / " + m.Environment
}

// Headline is the title with what is new about it: "New error: RuntimeError: boom".
func (m Message) Headline() string {
	if m.Lead == "" {
		return m.Title
	}
	return m.Lead + ": " + m.Title
}

// Line is the headline after the project and the environment, for a list of messages: "[Shop/production] Front is down".
func (m Message) Line() string {
	where := m.Project
	if m.Environment != "" {
		where += "/" + m.Environment
	}
	return "[" + where + "] " + m.Headline()
}

// sign is how a mood looks.
func (m Mood) sign() string {
	switch m {
	case Trouble:
		return "🔴"
	case Recovery:
		return "🟢"
	}
	return "🔵"
}

// colour is how a mood looks where a message has a coloured edge: red, green and blue.
func (m Mood) colour() int {
	switch m {
	case Trouble:
		return 0xd92d20
	case Recovery:
		return 0x12a150
	}
	return 0x2e6fd9
}

// fence returns lines as a block of code in Markdown that nothing in them ends.
func fence(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	text := strings.Join(lines, "\n")
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + "text\n" + text + "\n" + marks
}

// codeBlock is a block of code where a fence is three marks and no more.
func codeBlock(lines []string, escape func(rune) string) string {
	if len(lines) == 0 {
		return ""
	}
	text := strings.ReplaceAll(strings.Join(lines, "\n"), "`", "`"+none)
	return "```\n" + fit(text, 2*mostFrames*longestFrame, escape) + "\n```"
}

// factLines are the facts, a line each.
func (m Message) factLines(escape func(rune) string, before, after string) string {
	var lines []string
	for _, f := range m.Facts {
		lines = append(lines, before+fit(f.Name, 2*longestName, escape)+":"+after+" "+fit(f.Value, 2*longestValue, escape))
	}
	return strings.Join(lines, "\n")
}

// plain returns what there is to say beneath a title as a text of so many characters.
func (m Message) plain(most int) string {
	text := joined(math.MaxInt32, "\n\n", m.place(), m.Detail, m.factLines(plainly, "", ""), strings.Join(m.Trace, "\n"))
	if text == "" {
		text = m.Text
	}
	return fit(text, most, plainly)
}

// key names a message's subject to services that find its trouble again by it when it is over. Several servers may use one
// account of such a service, so the server is part of it.
func (m Message) key() string {
	host := ""
	if u, err := url.Parse(m.URL); err == nil {
		host = u.Host
	}
	return strings.TrimSpace(host + " " + string(m.Subject))
}
