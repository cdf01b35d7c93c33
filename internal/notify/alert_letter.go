package notify

import (
	"fmt"
	html "html/template"
	"strings"
	text "text/template"

	"sett/internal/channel"
)

// mostSubject is how many characters the subject of a letter has at most.
const mostSubject = 150

// AlertLetters writes messages as letters.
type AlertLetters struct {
	server string
	text   *text.Template
	html   *html.Template
}

// NewAlertLetters returns the letters of the server at that address. Their texts are part of the program.
func NewAlertLetters(server string) *AlertLetters {
	return &AlertLetters{
		server: server,
		text:   text.Must(text.ParseFS(texts, "mail/alert.txt")),
		html:   html.Must(html.ParseFS(texts, "mail/layout.html", "mail/alert.html")),
	}
}

// Letter writes a message as a letter to whomever a channel names. The subject is one line.
func (l *AlertLetters) Letter(m channel.Message) (subject, plain, marked string, err error) {
	return l.Personal(m, "")
}

// Personal writes a message as a letter to a user, with the address where they end such mails.
func (l *AlertLetters) Personal(m channel.Message, unsubscribe string) (subject, plain, marked string, err error) {
	facts := l.facts(m, unsubscribe)
	var inText, inHTML strings.Builder
	if err := l.text.Execute(&inText, facts); err != nil {
		return "", "", "", fmt.Errorf("write alert as text: %w", err)
	}
	if err := l.html.ExecuteTemplate(&inHTML, "layout.html", facts); err != nil {
		return "", "", "", fmt.Errorf("write alert as HTML: %w", err)
	}
	subject, plain, _ = strings.Cut(inText.String(), "\n\n")
	return subject, plain, inHTML.String(), nil
}

// alertFacts are what the templates of an alert may name.
type alertFacts struct {
	Server, Subject, Title, Detail string
	Rows                           []channel.Fact
	Trace                          []string
	Link, Unsubscribe              string // addresses; "" for no unsubscribing
	Colour                         string // of the title
}

// facts cleans a message once more: whoever hands one in may have made it of other texts than ours.
func (l *AlertLetters) facts(m channel.Message, unsubscribe string) alertFacts {
	f := alertFacts{
		Server: l.server, Subject: cut(line(m.Text), mostSubject), Title: line(m.Title), Detail: paragraph(m.Detail), Link: line(m.URL),
		Unsubscribe: line(unsubscribe), Colour: colourOf(m.Mood),
	}
	rows := append([]channel.Fact{{Name: "Project", Value: m.Project}, {Name: "Environment", Value: m.Environment}}, m.Facts...)
	if !m.At.IsZero() {
		rows = append(rows, channel.Fact{Name: "When", Value: m.At.UTC().Format("2 January 2006, 15:04:05 UTC")})
	}
	for _, row := range rows {
		if row.Value = line(row.Value); row.Value != "" {
			f.Rows = append(f.Rows, channel.Fact{Name: line(row.Name), Value: row.Value})
		}
	}
	for _, frame := range m.Trace {
		f.Trace = append(f.Trace, line(frame))
	}
	return f
}

// Quoted returns the detail as other people's words are shown in a text.
func (f alertFacts) Quoted() string {
	lines := strings.Split(f.Detail, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight("> "+lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Button returns the link of the message with what it does.
func (f alertFacts) Button(label string) button { return button{f.Link, label} }

// colourOf is the colour of a mood, readable on white and on black.
func colourOf(m channel.Mood) string {
	switch m {
	case channel.Trouble:
		return "#d1383d"
	case channel.Recovery:
		return "#2e8540"
	default:
		return "#4a73d9"
	}
}
