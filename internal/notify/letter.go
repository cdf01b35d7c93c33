package notify

import (
	"embed"
	"fmt"
	html "html/template"
	"path"
	"strings"
	text "text/template"
	"time"

	"sett/internal/sett"
)

// texts has two files for each kind of mail, and for alerts: <kind>.txt, the first line of which is the subject, and
// <kind>.html, which is put into layout.html.
//
//go:embed mail/*.txt mail/*.html
var texts embed.FS

// facts are what the templates of a mail may name; what its kind does not need is empty.
type facts struct {
	Server, Link           string // addresses; no server is named where a status page does not say what it is made with
	Until                  time.Time
	At                     time.Time
	Account, Team, Inviter string
	Role, Message          string
	Address, Device        string
	Event                  event
	Integration, Project   string
	Problem                string
	Off                    bool // the integration was turned off
	Digest                 digest
	Unsubscribe            string // an address
	Page                   string // name of a status page
}

// When writes a time for people who may be anywhere.
func (facts) When(t time.Time) string { return t.Format("2 January 2006, 15:04 UTC") }

// Quoted returns the message as other people's words are shown in a text.
func (f facts) Quoted() string {
	lines := strings.Split(strings.ReplaceAll(f.Message, "\r\n", "\n"), "\n")
	return "> " + strings.Join(lines, "\n> ")
}

// button is a link that stands out.
type button struct{ Link, Label string }

// Button returns the mail's link with what it does.
func (f facts) Button(label string) button { return button{f.Link, label} }

// letter is a mail in words.
type letter struct{ subject, text, html string }

// letters are the templates by kind of mail.
type letters struct {
	texts map[sett.MailKind]*text.Template
	htmls map[sett.MailKind]*html.Template
}

// newLetters reads the templates, which are part of the program.
func newLetters() *letters {
	l := &letters{map[sett.MailKind]*text.Template{}, map[sett.MailKind]*html.Template{}}
	layout := html.Must(html.ParseFS(texts, "mail/layout.html"))
	for _, kind := range []sett.MailKind{
		sett.AccountInvitationMail, sett.TeamInvitationMail, sett.PasswordResetMail, sett.PasswordChangedMail, sett.SecurityNoticeMail,
		sett.IntegrationFailedMail, sett.PersonalDigestMail, sett.SubscriptionMail,
	} {
		file := path.Join("mail", string(kind))
		l.texts[kind] = text.Must(text.ParseFS(texts, file+".txt"))
		l.htmls[kind] = html.Must(html.Must(layout.Clone()).ParseFS(texts, file+".html"))
	}
	return l
}

// write puts a mail into words.
func (l *letters) write(kind sett.MailKind, f facts) (letter, error) {
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
