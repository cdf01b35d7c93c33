package notify

import (
	"fmt"
	html "html/template"
	"strings"
	text "text/template"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett/status/locale"
)

// mostSubject is the maximum length of a subject in characters.
const mostSubject = 150

// AlertLetters renders messages as emails.
type AlertLetters struct {
	server string
	text   *text.Template
	html   *html.Template
}

// NewAlertLetters returns the embedded templates for the server at that address.
func NewAlertLetters(server string) *AlertLetters {
	return &AlertLetters{
		server: server,
		text:   text.Must(text.ParseFS(texts, "mail/alert.txt")),
		html:   html.Must(html.ParseFS(texts, "mail/layout.html", "mail/alert.html")),
	}
}

// Letter renders a message for the addresses of a channel. The subject is one line.
func (l *AlertLetters) Letter(m channel.Message) (subject, plain, marked string, err error) {
	return l.Personal(m, "", time.UTC)
}

// Personal renders a message for a user, with the URL to unsubscribe, and times in their time zone.
func (l *AlertLetters) Personal(m channel.Message, unsubscribe string, zone *time.Location) (subject, plain, marked string, err error) {
	facts := l.facts(m, unsubscribe, zone)
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

// alertFacts are the fields that the templates of an alert can use.
type alertFacts struct {
	Server, Subject, Title, Detail string
	Rows                           []channel.Fact
	Trace                          []string
	Link, Acknowledge, Unsubscribe string // URLs; the last two are "" for none
	Colour                         string // of the title
}

// facts cleans a message again, because its texts may come from any caller.
func (l *AlertLetters) facts(m channel.Message, unsubscribe string, zone *time.Location) alertFacts {
	f := alertFacts{
		Server: l.server, Subject: cut(line(m.Line()), mostSubject), Title: line(m.Headline()), Detail: paragraph(m.Detail), Link: line(m.URL),
		Acknowledge: line(m.Acknowledge), Unsubscribe: line(unsubscribe), Colour: colourOf(m.Mood),
	}
	rows := append([]channel.Fact{{Name: "Project", Value: m.Project}, {Name: "Environment", Value: m.Environment}}, m.Facts...)
	if !m.At.IsZero() {
		rows = append(rows, channel.Fact{Name: "When", Value: when(m.At, zone)})
	}
	for _, row := range rows {
		if !row.At.IsZero() {
			row.Value = when(row.At, zone)
		}
		if row.Value = line(row.Value); row.Value != "" {
			f.Rows = append(f.Rows, channel.Fact{Name: line(row.Name), Value: row.Value})
		}
	}
	for _, frame := range m.Trace {
		f.Trace = append(f.Trace, line(frame))
	}
	return f
}

// Quoted returns the detail as a quotation in plain text.
func (f alertFacts) Quoted() string {
	lines := strings.Split(f.Detail, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight("> "+lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Code returns the language of the email, as HTML names it.
func (f alertFacts) Code() string { return string(locale.English) }

// Button returns the link of the message with a label.
func (f alertFacts) Button(label string) button {
	return button{f.Link, label, locale.English.Text("or_open")}
}

// colourOf is the color of a mood, readable on white and on black.
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
