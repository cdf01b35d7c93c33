package channel

import (
	"context"
	"time"
)

// pagerDuty sends events that open and close alerts (developer.pagerduty.com/docs/events-api-v2/trigger-events): 1,024
// characters in a summary, 255 in a key. It answers 202, 400 for an event that is wrong, and 429 when there are too many.
func pagerDuty() Kind {
	return Kind{
		Type: "PagerDutyV2", Name: "PagerDuty",
		About: "Opens an incident on failure and resolves it on recovery. To close error incidents too, also select “Error resolved”.",
		Options: []Option{
			{Name: "routing_key", Label: "Integration key", About: "Integration key of an Events API v2 integration.", Form: Text, Required: true, Secret: true},
			{Name: "severity", Label: "Severity", About: "Severity of the alerts.", Form: Choice, Choices: []string{"critical", "error", "warning", "info"}, Default: "error"},
			region(),
		},
		Make: func(t Tools, v Values) Sender { return pagerDutySender{t, v} },
	}
}

// region is the option of services that keep European accounts apart.
func region() Option {
	return Option{Name: "region", Label: "Region", About: "Region of your account.", Form: Choice, Choices: []string{"us", "eu"}, Default: "us"}
}

type pagerDutySender struct {
	Tools
	values Values
}

type pagerDutyEvent struct {
	RoutingKey string            `json:"routing_key"`
	Action     string            `json:"event_action"`
	DedupKey   string            `json:"dedup_key"`
	Payload    *pagerDutyPayload `json:"payload,omitempty"` // of triggers
	Links      []pagerDutyLink   `json:"links,omitempty"`
}

type pagerDutyPayload struct {
	Summary   string            `json:"summary"`
	Source    string            `json:"source"`
	Severity  string            `json:"severity"`
	Timestamp time.Time         `json:"timestamp"`
	Class     string            `json:"class"`
	Details   map[string]string `json:"custom_details"`
}

type pagerDutyLink struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

const longestPagerDutyKey = 255

func (s pagerDutySender) Send(ctx context.Context, m Message) (Receipt, error) {
	if m.Mood != Trouble && m.Mood != Recovery {
		return Receipt{Note: nothingToSend}, nil
	}
	server := s.service("https://events.pagerduty.com")
	if s.values["region"] == "eu" {
		server = s.service("https://events.eu.pagerduty.com")
	}
	a, err := s.postJSON(ctx, server+"/v2/enqueue", nil, s.event(m.brief()))
	return Receipt{Status: a.status}, acknowledged("PagerDuty", a, err, a.has("status"))
}

func (s pagerDutySender) event(m Message) pagerDutyEvent {
	e := pagerDutyEvent{RoutingKey: s.values["routing_key"], Action: "resolve", DedupKey: fit(m.key(), longestPagerDutyKey, plainly)}
	if m.Mood == Recovery {
		return e
	}
	severity := s.values["severity"]
	if severity == "" {
		severity = "error"
	}
	e.Action, e.Links = "trigger", []pagerDutyLink{{m.URL, "Open in sett"}}
	e.Payload = &pagerDutyPayload{
		Summary: m.Text, Source: m.place(), Severity: severity, Timestamp: m.At.UTC(), Class: string(m.Event),
		Details: map[string]string{"about": m.plain(6000)},
	}
	for _, f := range m.Facts {
		e.Payload.Details[f.Name] = f.Value
	}
	return e
}
