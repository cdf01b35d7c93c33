package channel

import (
	"encoding/json"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
)

// Message is what one receiver gets. Texts are plain and may come from outside: each kind escapes them for its service.
type Message struct {
	ID string `json:"-"` // of the delivery: the same whenever the same message is sent again

	Try   int       `json:"-"` // 1 is the first
	Again bool      `json:"-"` // an earlier try may have arrived, maybe one of a process that died
	Since time.Time `json:"-"` // when the delivery was made, before any try; zero: At

	Event       alerts.AlertEvent   `json:"event"`
	Subject     alerts.AlertSubject `json:"subject"` // the object of the event; the same for failure and recovery
	At          time.Time           `json:"at"`      // when it happened
	Mood        Mood                `json:"mood"`
	Project     string              `json:"project"`
	Environment string              `json:"environment,omitempty"`
	Text        string              `json:"text"`             // all of it in one line (wire.md §5.3)
	Lead        string              `json:"lead,omitempty"`   // what is new about the title: "New error", "Reopened"; "" where it says it itself
	Title       string              `json:"title"`            // without the project: "RuntimeError: boom"
	Detail      string              `json:"detail,omitempty"` // a sentence or two, such as a comment or the reason of an outage
	Facts       []Fact              `json:"facts,omitempty"`
	Trace       []string            `json:"trace,omitempty"`       // the first frames of a backtrace, a line each
	URL         string              `json:"url"`                   // of the page with the details
	Acknowledge string              `json:"acknowledge,omitempty"` // URL of the page with the button that acknowledges; "" if there is nothing to acknowledge
	Body        json.RawMessage     `json:"body"`                  // what a webhook is sent (wire.md §5.4)
	Issue       *Issue              `json:"issue,omitempty"`       // the issue that the fault is linked with at this receiver; nil for none
}

// acknowledgeLabel is the text of links to the page that acknowledges. No service needs an app for a link; the page asks for a click.
const acknowledgeLabel = "Acknowledge"

// Fact is something known of a message's subject, for a short table.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`

	At time.Time `json:"at,omitzero"` // the time that the value says in UTC; personal emails say it in the zone of the reader
}

// Mood is the kind of news in a message.
type Mood string

// The moods of messages.
const (
	Trouble  Mood = "trouble"  // something is wrong since now
	Recovery Mood = "recovery" // what was wrong is right again
	News     Mood = "news"
)

// Issue is an issue in a tracker.
type Issue struct {
	Link triage.LinkData `json:"link"`
}
