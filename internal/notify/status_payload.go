package notify

import (
	"encoding/json"
	"fmt"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
)

// The types of what webhooks are sent that have subscribed to a status page.
const (
	subscriptionType = "status_page.subscription"
	statusUpdateType = "status_page.update"
)

// subscriptionPayload asks a webhook to confirm its subscription to a status page.
type subscriptionPayload struct {
	Type       string          `json:"type"`
	Page       statusPageBlock `json:"page"`
	ConfirmURL string          `json:"confirm_url" doc:"Open this page in a browser within 48 hours and press its button to confirm. Nothing else is sent before."`
}

// statusUpdatePayload is an incident update on a status page.
type statusUpdatePayload struct {
	Type           string              `json:"type"`
	Page           statusPageBlock     `json:"page"`
	Incident       statusIncidentBlock `json:"incident"`
	Update         statusUpdateBlock   `json:"update"`
	ChooseURL      string              `json:"choose_url" doc:"Open this page to choose the components that updates are sent about."`
	UnsubscribeURL string              `json:"unsubscribe_url" doc:"Send a POST request to unsubscribe, or open the page and press its button."`
}

// statusPageBlock is a status page as payloads show one.
type statusPageBlock struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// statusIncidentBlock is an incident, or planned work, as payloads show one.
type statusIncidentBlock struct {
	ID         int64      `json:"id"`
	Kind       string     `json:"kind" enum:"incident,maintenance"`
	Name       string     `json:"name"`
	URL        string     `json:"url" doc:"The page of the incident."`
	StartsAt   time.Time  `json:"starts_at"`
	EndsAt     *time.Time `json:"ends_at" doc:"Scheduled end of maintenance; null for incidents and when unknown."`
	Impact     string     `json:"impact" enum:"none,minor,major,critical," doc:"How bad the incident is; empty where nothing is said of it, and for maintenance."`
	Components []string   `json:"components" doc:"Names of the affected components."`
}

// statusUpdateBlock is what was said about an incident at one time.
type statusUpdateBlock struct {
	ID        int64     `json:"id"`
	Status    string    `json:"status" enum:"investigating,identified,monitoring,resolved,scheduled,in_progress,completed,postmortem" doc:"postmortem: the message is the post-mortem of the incident, in Markdown."`
	Message   string    `json:"message"`
	Automatic bool      `json:"automatic" doc:"True when sett wrote it because of an outage or a schedule."`
	At        time.Time `json:"at"`
}

func subscriptionOf(baseURL string, c statusdb.ClaimedStatusNotice) subscriptionPayload {
	page := c.Page.Address(baseURL)
	return subscriptionPayload{subscriptionType, statusPageBlock{c.Page.ID, c.Page.Name, page}, subscriberAt(page, c.Subscriber.Token)}
}

func statusUpdateOf(baseURL string, c statusdb.ClaimedStatusNotice) statusUpdatePayload {
	page, i, u := c.Page.Address(baseURL), c.Incident, c.Update
	return statusUpdatePayload{
		Type: statusUpdateType, Page: statusPageBlock{c.Page.ID, c.Page.Name, page},
		Incident: statusIncidentBlock{
			ID: i.ID, Kind: string(i.Kind), Name: i.Name, URL: incidentAt(page, i.ID), StartsAt: i.StartsAt.UTC(), EndsAt: nullTime(i.EndsAt.UTC()),
			Impact:     string(i.Effect()),
			Components: append([]string{}, c.Affected...),
		},
		Update:         statusUpdateBlock{u.ID, string(u.Status), u.Message, u.Automatic, u.At.UTC()},
		ChooseURL:      subscriberAt(page, c.Subscriber.Token),
		UnsubscribeURL: unsubscribeStatusAt(page, c.Subscriber.Token),
	}
}

// StatusPayloads returns the payloads of webhooks that have subscribed to a status page, with addresses under baseURL. It
// panics when an example cannot be written: it is part of the program.
func StatusPayloads(baseURL string) []Payload {
	c := sampleStatusNotice()
	return []Payload{
		{
			Event: subscriptionType, About: "This address was entered to receive the updates of a status page. The subscription has to be confirmed.",
			Type: subscriptionPayload{}, Example: example(subscriptionOf(baseURL, c)),
		},
		{
			Event: statusUpdateType, About: "An incident or scheduled maintenance was updated on a status page to which this address is subscribed.",
			Type: statusUpdatePayload{}, Example: example(statusUpdateOf(baseURL, c)),
		},
	}
}

func example(payload any) []byte {
	body, err := json.Marshal(payload)
	if err != nil {
		panic(fmt.Errorf("write example: %w", err))
	}
	return indented(body)
}

func sampleStatusNotice() statusdb.ClaimedStatusNotice {
	return statusdb.ClaimedStatusNotice{
		Page:       status.StatusPage{ID: "vWbSWr8T", StatusPageSettings: status.StatusPageSettings{Name: "Acme status", Slug: "acme"}},
		Incident:   status.StatusIncident{ID: 12, Kind: status.Disruption, Name: "Slow checkout", StartsAt: sampleNow().Add(-time.Hour)},
		Update:     status.IncidentUpdate{ID: 31, Status: status.Identified, Message: "A replica is lagging. We are replacing it.", At: sampleNow()},
		Affected:   []string{"Checkout"},
		Subscriber: status.StatusSubscriber{Token: "Qm3vY8rT2xLkP5sN9wBd"},
	}
}
