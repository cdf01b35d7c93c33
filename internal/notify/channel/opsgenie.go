package channel

import (
	"context"
	"net/http"
)

// opsgenie opens and closes alerts (docs.opsgenie.com/docs/alert-api): 130 characters in a message, 512 in an alias,
// 15,000 in a description. It answers 202 and works later. It ends in April 2027; the kind JSM follows it.
func opsgenie() Kind {
	return Kind{
		Type: "Opsgenie", Name: "Opsgenie",
		About:   "Opens an alert on failure and closes it on recovery. To close error alerts too, also select “Error resolved”.",
		Options: []Option{opsKey(), opsPriority(), region()},
		Make: func(t Tools, v Values) Sender {
			server := t.service("https://api.opsgenie.com")
			if v["region"] == "eu" {
				server = t.service("https://api.eu.opsgenie.com")
			}
			return opsSender{t, v, server + "/v2/alerts"}
		},
	}
}

func opsKey() Option {
	return Option{Name: "api_key", Label: "API key", About: "Key of an API integration.", Form: Text, Required: true, Secret: true}
}

func opsPriority() Option {
	return Option{Name: "priority", Label: "Priority", About: "Priority of the alerts.", Form: Choice, Choices: []string{"P1", "P2", "P3", "P4", "P5"}, Default: "P3"}
}

// opsSender speaks to Opsgenie, or to what follows it.
type opsSender struct {
	Tools
	values Values
	alerts string // address
}

type opsAlert struct {
	Message     string            `json:"message"`
	Alias       string            `json:"alias"`
	Description string            `json:"description"`
	Details     map[string]string `json:"details"`
	Entity      string            `json:"entity"`
	Source      string            `json:"source"`
	Priority    string            `json:"priority"`
}

type opsClosing struct {
	Source string `json:"source"`
	Note   string `json:"note"`
}

const (
	longestOpsMessage = 130
	longestOpsAlias   = 250
)

func (s opsSender) Send(ctx context.Context, m Message) (Receipt, error) {
	header := http.Header{"Authorization": {"GenieKey " + s.values["api_key"]}}
	alias := fit(m.key(), longestOpsAlias, plainly)
	address := s.alerts
	var body any
	switch brief := m.brief(); m.Mood {
	case Trouble:
		body = s.alert(brief, alias)
	case Recovery:
		address = with(under(s.alerts, alias, "close"), "identifierType", "alias")
		body = opsClosing{"sett", fit(brief.Text, 2*longestText, forOps)}
	default:
		return Receipt{Note: nothingToSend}, nil
	}
	a, err := s.postJSON(ctx, address, header, body)
	return Receipt{Status: a.status}, acknowledged("Atlassian", a, err, a.has("result"))
}

func (s opsSender) alert(m Message, alias string) opsAlert {
	priority := s.values["priority"]
	if priority == "" {
		priority = "P3"
	}
	alert := opsAlert{
		Message: fit(m.Text, longestOpsMessage, forOps), Alias: alias, Description: fit(m.plain(8000), 14_000, forOps) + "\n\n" + m.URL,
		Details: map[string]string{"url": m.URL, "project": m.Project, "event": string(m.Event)}, Entity: m.place(), Source: "sett", Priority: priority,
	}
	if m.Environment != "" {
		alert.Details["environment"] = m.Environment
	}
	return alert
}

// forOps keeps texts from being read as HTML (docs.opsgenie.com/docs/alerts-and-alert-fields).
func forOps(r rune) string {
	if r == '<' {
		return "&lt;"
	}
	return string(r)
}
