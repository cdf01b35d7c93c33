package notify

import (
	"embed"
	"fmt"
	html "html/template"
	"path"
	"strings"
	text "text/template"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett/alerts"
	"sett/internal/sett/status/locale"
)

// texts has two files for each kind of email, and for alerts: <kind>.txt, whose first line is the subject, and <kind>.html,
// which is inserted into layout.html.
//
//go:embed mail/*.txt mail/*.html
var texts embed.FS

// facts are the fields that the templates of an email can use; a kind leaves those it does not need empty.
type facts struct {
	Server, Link           string // URLs; Server is empty if the status page hides the branding
	Until                  time.Time
	At                     time.Time
	Account, Team, Inviter string
	Role, Message          string
	Empty                  bool // the invitation shows no project
	Address, Device        string
	Event                  event
	Integration, Project   string
	Problem                string
	Off                    bool // the integration was turned off
	Digest                 digest
	Unsubscribe            string          // a URL
	Page                   string          // name of a status page
	Zone                   *time.Location  // of the reader; nil for UTC
	Language               locale.Language // of emails to subscribers of a status page, whose owner chose it; "" for English
}

// When formats a time in the zone of the reader, or in UTC if it is unknown.
func (f facts) When(t time.Time) string {
	if f.Language != "" && f.Language != locale.English {
		return f.Language.Minute(t)
	}
	return phrase.Time(t.In(f.zone()), "2 January 2006, 15:04")
}

// Text returns a text of the catalogue of status pages, in the language of the email.
func (f facts) Text(key string, values ...any) string { return f.Language.Text(key, values...) }

// Code returns the language of the email, as HTML names it.
func (f facts) Code() string {
	if locale.Known(string(f.Language)) {
		return string(f.Language)
	}
	return string(locale.English)
}

func (f facts) zone() *time.Location {
	if f.Zone == nil {
		return time.UTC
	}
	return f.Zone
}

// Quoted returns the message as a quotation in plain text.
func (f facts) Quoted() string {
	lines := strings.Split(strings.ReplaceAll(f.Message, "\r\n", "\n"), "\n")
	return "> " + strings.Join(lines, "\n> ")
}

// button is a link that is shown as a button.
type button struct{ Link, Label, Or string }

// Button returns the link of the email with a label.
func (f facts) Button(label string) button { return button{f.Link, label, f.Text("or_open")} }

// letter is the content of an email.
type letter struct{ subject, text, html string }

// letters are the templates by kind of email.
type letters struct {
	texts map[alerts.MailKind]*text.Template
	htmls map[alerts.MailKind]*html.Template
}

// newLetters parses the embedded templates.
func newLetters() *letters {
	l := &letters{map[alerts.MailKind]*text.Template{}, map[alerts.MailKind]*html.Template{}}
	layout := html.Must(html.ParseFS(texts, "mail/layout.html"))
	for _, kind := range []alerts.MailKind{
		alerts.AccountInvitationMail, alerts.TeamInvitationMail, alerts.PasswordResetMail, alerts.PasswordChangedMail, alerts.SecurityNoticeMail,
		alerts.IntegrationFailedMail, alerts.PersonalDigestMail, alerts.SubscriptionMail,
	} {
		file := path.Join("mail", string(kind))
		l.texts[kind] = text.Must(text.ParseFS(texts, file+".txt"))
		l.htmls[kind] = html.Must(html.Must(layout.Clone()).ParseFS(texts, file+".html"))
	}
	return l
}

// write renders an email.
func (l *letters) write(kind alerts.MailKind, f facts) (letter, error) {
	if l.texts[kind] == nil {
		return letter{}, fmt.Errorf("write mail: no template for the kind %q", kind)
	}
	var plain, marked strings.Builder
	if err := l.texts[kind].Execute(&plain, f); err != nil {
		return letter{}, fmt.Errorf("write mail: %w", err)
	}
	if err := l.htmls[kind].ExecuteTemplate(&marked, "layout.html", f); err != nil {
		return letter{}, fmt.Errorf("write mail: %w", err)
	}
	subject, body, _ := strings.Cut(plain.String(), "\n\n")
	return letter{subject, body, marked.String()}, nil
}
