package settings

import (
	"context"
	"net/http"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/web"
)

// channelList is the page of a project's channels.
type channelList struct {
	page
	Channels []channelCard
	Off      web.State
	Empty    web.Empty
}

// channelCard is one channel as the list shows it.
type channelCard struct {
	alerts.Integration
	Name    string // its label, or the name of its kind
	Kind    string
	Target  string // its destination, unless that is secret
	Tracker bool
	Last    *alerts.Delivery // nil: none yet
	State   web.State        // of the last delivery
	Wants   []string         // labels of its events
	Quiet   string           // its quiet hours in words; "" for none
	Silence web.State        // state during quiet hours; else without a word
	Limits  []string         // its filters and restrictions
}

func (p *pages) channelsPage(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Deliveries.ListIntegrations(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	list := channelList{page: p.newPage(r, "Channels", "channels"), Off: web.State{Mood: web.Paused, Word: "off"}}
	list.Empty = web.Empty{
		Title: "No channels yet", Text: "A channel sends notifications of this project to a chat, a pager, email, a webhook or an issue tracker.",
		Manual: p.At("/docs/integrations"),
	}
	if list.May(accounts.ManageProject) {
		list.Empty.Action, list.Empty.Link = "Add channel", to(r, "/channels/new")
	}
	for _, i := range found {
		card := newChannelCard(i)
		card.Silence = quietState(i.QuietHours, p.Now())
		if err := p.readLast(r.Context(), &card); err != nil {
			return err
		}
		list.Channels = append(list.Channels, card)
	}
	return p.Show(w, r, http.StatusOK, "settings_channels", list)
}

// newChannelCard describes a channel, even of a kind that this server does not support.
func newChannelCard(i alerts.Integration) channelCard {
	kind, known := channel.Find(i.Type)
	if !known {
		kind.Name = i.Type
	}
	label, _ := i.Options["label"].(string)
	card := channelCard{Integration: i, Name: label, Kind: kind.Name, Tracker: kind.Tracker, Target: target(kind, i.Options), Limits: limitsOf(i.IntegrationSettings)}
	if card.Name == "" {
		card.Name = kind.Name
	}
	if i.QuietHours != nil {
		card.Quiet = i.QuietHours.Words()
	}
	for _, e := range i.Events {
		card.Wants = append(card.Wants, eventLabel(e))
	}
	return card
}

// target returns the first option of a channel that is a destination and not secret.
func target(kind channel.Kind, options map[string]any) string {
	shown := kind.Show(options)
	for _, o := range kind.Options {
		text, _ := shown[o.Name].(string)
		if text != "" && !o.Secret && o.Form != channel.Flag && o.Form != channel.Choice {
			return text
		}
	}
	return ""
}

// limitsOf describes the restrictions of a channel.
func limitsOf(s alerts.IntegrationSettings) (limits []string) {
	for _, l := range []struct {
		n         int
		one, many string
	}{
		{len(s.SiteIDs), "one site only", "some sites only"},
		{len(s.CheckInIDs), "one check-in only", "some check-ins only"},
		{len(s.ExcludedEnvironments), "without one environment", "without some environments"},
		{len(s.Filters), "one filter", "some filters"},
	} {
		switch {
		case l.n == 1:
			limits = append(limits, l.one)
		case l.n > 1:
			limits = append(limits, l.many)
		}
	}
	return limits
}

func (p *pages) readLast(ctx context.Context, card *channelCard) error {
	last, _, err := p.Deliveries.ListDeliveries(ctx, card.ProjectID, card.ID, sett.Page{Size: 1})
	if len(last) > 0 {
		card.Last, card.State = &last[0].Delivery, deliveryState(last[0].Delivery, clockOf(card.QuietHours, p.Now()))
	}
	return err
}

// deliveryState returns the state of a delivery for pages.
func deliveryState(d alerts.Delivery, c clock) web.State {
	if d.Quiet() {
		return web.State{Mood: web.Paused, Word: "waiting until " + c.says(d.QuietUntil)}
	}
	switch d.State {
	case alerts.DeliverySent:
		return web.State{Mood: web.Fine, Word: "sent"}
	case alerts.DeliveryFailed:
		return web.State{Mood: web.Critical, Word: "failed"}
	case alerts.DeliveryMerged:
		return web.State{Mood: web.Muted, Word: "merged into a later message"}
	case alerts.DeliveryHeld:
		return web.State{Mood: web.Warning, Word: "held back: too many messages"}
	default:
		return web.State{Mood: web.Info, Word: "queued"}
	}
}

// eventLabel returns the label of an event.
func eventLabel(e alerts.AlertEvent) string {
	labels := map[alerts.AlertEvent]string{
		alerts.AlertOccurred:         "An error is new or occurs again",
		alerts.AlertRateExceeded:     "An error occurs more often than a threshold",
		alerts.AlertResolved:         "An error is resolved",
		alerts.AlertUnresolved:       "An error is marked as unresolved",
		alerts.AlertAssigned:         "An error is assigned",
		alerts.AlertCommented:        "An error is commented on",
		alerts.AlertDeployed:         "A deploy is recorded",
		alerts.AlertVolumeSpike:      "An error occurs much more often than usual",
		alerts.AlertDown:             "A site is down",
		alerts.AlertUp:               "A site is up again",
		alerts.AlertCertWillExpire:   "A certificate is about to expire",
		alerts.AlertCheckInMissing:   "A check-in is missed",
		alerts.AlertCheckInFailed:    "A check-in fails",
		alerts.AlertCheckInReporting: "A check-in reports again",
		alerts.AlertFlooded:          "Messages were held back",
		alerts.AlertIssueCreate:      "Create issue",
		alerts.AlertIssueClose:       "Close issue",
		alerts.AlertIssueReopen:      "Reopen issue",
	}
	if label, ok := labels[e]; ok {
		return label
	}
	return string(e)
}
