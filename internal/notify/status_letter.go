package notify

import (
	"fmt"
	html "html/template"
	"strings"
	text "text/template"

	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
)

// statusFacts are the fields that the templates of an incident update can use.
type statusFacts struct {
	facts
	Incident, Status  string
	Choose            string // URL where the reader chooses components
	Planned, Affected string // "" for neither
	Impact            string // "" where nothing is said of it
}

// statusLetters are the templates of an incident update.
type statusLetters struct {
	text *text.Template
	html *html.Template
}

func newStatusLetters() *statusLetters {
	return &statusLetters{
		text: text.Must(text.ParseFS(texts, "mail/status_update.txt")),
		html: html.Must(html.ParseFS(texts, "mail/layout.html", "mail/status_update.html")),
	}
}

// write renders an update. Its readers know the status page but not the server.
func (l *statusLetters) write(baseURL string, c statusdb.ClaimedStatusNotice) (letter, string, error) {
	page, server := c.Page.Address(baseURL), baseURL
	if c.Page.HideBranding {
		server = ""
	}
	c.Incident, c.Update = c.Incident.In(c.Page.Language), c.Update.In(c.Page.Language)
	f := statusFacts{
		facts: facts{
			Server: server, Link: incidentAt(page, c.Incident.ID), At: c.Update.At.UTC(), Page: line(c.Page.Name),
			Message: strings.TrimSpace(c.Update.Message), Unsubscribe: unsubscribeStatusAt(page, c.Subscriber.Token), Language: c.Page.Language,
		},
		Choose: subscriberAt(page, c.Subscriber.Token), Incident: line(c.Incident.Name), Status: c.Page.Language.Text(string(c.Update.Status)), Impact: c.Incident.ImpactIn(c.Page.Language),
	}
	if len(c.Affected) > 0 {
		f.Affected = f.Text("affects", line(c.Page.Language.List(c.Affected)))
	}
	if c.Incident.Kind == status.Maintenance {
		f.Planned = f.Text("scheduled_at", f.When(c.Incident.StartsAt.UTC()))
		if !c.Incident.EndsAt.IsZero() {
			f.Planned = f.Text("scheduled_from", f.When(c.Incident.StartsAt.UTC()), f.When(c.Incident.EndsAt.UTC()))
		}
	}
	var plain, marked strings.Builder
	if err := l.text.Execute(&plain, f); err != nil {
		return letter{}, "", fmt.Errorf("write update as text: %w", err)
	}
	if err := l.html.ExecuteTemplate(&marked, "layout.html", f); err != nil {
		return letter{}, "", fmt.Errorf("write update as HTML: %w", err)
	}
	subject, body, _ := strings.Cut(plain.String(), "\n\n")
	return letter{cut(subject, mostSubject), body, marked.String()}, f.Unsubscribe, nil
}

// subscriberAt is the URL where a subscriber of the page at that address confirms.
func subscriberAt(page, token string) string { return page + "/subscribers/" + token }

// unsubscribeStatusAt is the URL where a subscriber of the page at that address unsubscribes.
func unsubscribeStatusAt(page, token string) string {
	return subscriberAt(page, token) + "/unsubscribe"
}

// incidentAt is the URL of an incident on the page at that address.
func incidentAt(page string, id int64) string { return fmt.Sprintf("%s/incidents/%d", page, id) }
