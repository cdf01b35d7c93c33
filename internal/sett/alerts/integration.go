package alerts

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
)

// Integration is a channel of a project: a service that receives its notifications, or an issue tracker.
type Integration struct {
	ID        int64
	ProjectID int64
	IntegrationSettings
	FailedAt  time.Time // when a delivery last failed permanently, since users last changed the integration; zero: never
	Problem   string    // of then
	CreatedAt time.Time
	UpdatedAt time.Time // by people
}

// IntegrationSettings are the fields of an integration that people write.
type IntegrationSettings struct {
	Type                 string // such as "WebHook"; never changed
	Active               bool
	Events               []AlertEvent
	SiteIDs              []string       // none means every site
	CheckInIDs           []string       // none means every check-in
	Options              map[string]any // what it holds depends on Type; secrets as they are
	ExcludedEnvironments []string
	Filters              []IntegrationFilter
	Rate                 AlertRate   // of rate_exceeded; "" for none
	Threshold            int64       // of rate_exceeded: more occurrences than this in Rate; 0 for none
	QuietHours           *QuietHours // nil: none
	NotificationLimit    int64       // messages in ten minutes, before flood control
	Escalation           *Escalation // nil: none
}

// DefaultNotificationLimit is how many messages an integration gets in ten minutes when nothing is said.
const DefaultNotificationLimit = 30

// IntegrationFilter lets an event through only when its fault matches a search.
type IntegrationFilter struct {
	Event string `json:"event" doc:"An event, or all." enum:"all,occurred,rate_exceeded,resolved,unresolved,assigned,commented,deployed,volume_spike,down,up,slow,fast,cert_will_expire,check_in_missing,check_in_failed,check_in_reporting,alarm_alert,alarm_ok"`
	Query string `json:"query" doc:"A search as the list of faults takes it." range:"1,2000" example:"-tag:wontfix"`
}

// Name is what people call the integration, in one line: "Alerts (Slack)", or the type alone.
func (i Integration) Name() string {
	label, _ := i.Options["label"].(string)
	if words := strings.Fields(label); len(words) > 0 {
		return strings.Join(words, " ") + " (" + i.Type + ")"
	}
	return i.Type
}

// FailureMail returns the mail to an owner of the project that a delivery of the integration failed; off says that the
// integration was turned off because of it.
func (i Integration) FailureMail(to, project, problem string, off bool) Mail {
	return Mail{To: to, Kind: IntegrationFailedMail, Fields: map[string]string{
		"integration": i.Name(), "project": project, "problem": problem, "link": fmt.Sprintf("/projects/%d/settings/channels", i.ProjectID),
		"off": map[bool]string{true: "yes"}[off],
	}}
}

// WebhookSecret is the option of an issue tracker with the secret that it signs its webhooks with.
const WebhookSecret = "webhook_secret"

// WebhookSecret returns the secret that the issue tracker signs its webhooks with; "" for none.
func (i Integration) WebhookSecret() string {
	secret, _ := i.Options[WebhookSecret].(string)
	return secret
}

// WebhookURL is the address of the integration's webhook, if its kind can have one, at a server with that address.
func (i Integration) WebhookURL(base string) string {
	return fmt.Sprintf("%s/v1/integrations/%d/webhook", strings.TrimRight(base, "/"), i.ID)
}

// Heard returns the facts of what a person with that name did in the issue tracker of the integration.
func (i Integration) Heard(by string) AlertFacts {
	facts := AlertFacts{From: i.ID}
	if by != "" {
		facts.Actor = &sett.Person{Name: by}
	}
	return facts
}

// IntegrationKind is what the rules of integrations have to know of a kind of channel. Package channel has the kinds.
type IntegrationKind struct {
	Type    string
	Tracker bool // an issue tracker
	// LinkOnly says of a tracker that nothing is sent to it.
	LinkOnly bool
	// Hears says of a tracker that comments go both ways.
	Hears bool

	// Options returns the options after people sent some to an integration that had those in old, and notes what is wrong
	// with them in p. For a new integration old is nil.
	Options func(p *sett.Problems, old, sent map[string]any) map[string]any
}

// FindIntegrationKind returns the kind of that type.
func FindIntegrationKind(kinds []IntegrationKind, kind string) (IntegrationKind, bool) {
	i := slices.IndexFunc(kinds, func(k IntegrationKind) bool { return k.Type == kind })
	if i < 0 {
		return IntegrationKind{}, false
	}
	return kinds[i], true
}

// TrackerEvents lists what an issue tracker can do something about by itself: it makes, closes and reopens issues.
func TrackerEvents() []AlertEvent { return []AlertEvent{AlertOccurred, AlertResolved, AlertUnresolved} }

// Events lists the events that integrations of the kind can select.
func (k IntegrationKind) Events() []AlertEvent {
	switch {
	case k.LinkOnly:
		return nil
	case k.Hears:
		return append(TrackerEvents(), AlertCommented)
	case k.Tracker:
		return TrackerEvents()
	}
	return AlertEvents()
}

// DefaultEvents lists what a new integration of the kind wants when nothing is said. A tracker makes issues by itself only
// where people want it to.
func (k IntegrationKind) DefaultEvents() []AlertEvent {
	if k.Tracker {
		return nil
	}
	return DefaultAlertEvents()
}

// checkIntegrationType returns the kind of that type, or notes that there is none and which was probably meant.
func checkIntegrationType(p *sett.Problems, kinds []IntegrationKind, kind string) IntegrationKind {
	k, ok := FindIntegrationKind(kinds, kind)
	switch {
	case kind == "":
		p.Add("type", "can't be blank")
	case !ok:
		var names []string
		for _, k := range kinds {
			names = append(names, k.Type)
		}
		p.Add("type", "must be one of %s", NotOneOf(names, kind))
	}
	return k
}

// SigningPrefix marks a secret whose rest is base64 (standardwebhooks.com).
const SigningPrefix = "whsec_"

// NewSigningSecret returns a new secret that signs what is sent to a webhook.
func NewSigningSecret() string {
	key := make([]byte, 24)
	_, _ = rand.Read(key) // never fails
	return SigningPrefix + base64.StdEncoding.EncodeToString(key)
}
