package sett

import (
	"fmt"
	"strings"
	"time"
)

// Integration is a channel of a project: a place outside that is told of its events, or an issue tracker.
type Integration struct {
	ID        int64
	ProjectID int64
	IntegrationSettings
	FailedAt  time.Time // when it last could not be told for good, since people last changed it; zero: never
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
}

// DefaultNotificationLimit is how many messages an integration gets in ten minutes when nothing is said.
const DefaultNotificationLimit = 30

// IntegrationFilter lets an event through only when its fault matches a search.
type IntegrationFilter struct {
	Event string `json:"event" doc:"An event, or all." enum:"all,occurred,rate_exceeded,resolved,unresolved,assigned,commented,deployed,volume_spike,down,up,cert_will_expire,check_in_missing,check_in_reporting"`
	Query string `json:"query" doc:"A search as the list of faults takes it." range:"1,2000" example:"-tag:wontfix"`
}

// FailureMail returns the mail to somebody whom the project belongs to that the integration could not be told something, and
// whether it was turned off for that.
func (i Integration) FailureMail(to, project, problem string, off bool) Mail {
	name := i.Type
	label, _ := i.Options["label"].(string)
	if words := strings.Fields(label); len(words) > 0 { // it stands in a subject, in one line
		name = strings.Join(words, " ") + " (" + i.Type + ")"
	}
	return Mail{To: to, Kind: IntegrationFailedMail, Fields: map[string]string{
		"integration": name, "project": project, "problem": problem, "link": fmt.Sprintf("/projects/%d/settings/channels", i.ProjectID),
		"off": map[bool]string{true: "yes"}[off],
	}}
}
