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
	Wants   string           // what it sends, as sentences
	Quiet   string           // its quiet hours in words; "" for none
	Onward  string           // where and when its messages are sent on; "" for nowhere
	Silence web.State        // state during quiet hours; else without a word
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
		card.Silence, card.Onward, card.Wants = quietState(i.QuietHours, p.Now()), onward(i, found), withEscalated(card.Wants, i, found)
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
	card := channelCard{Integration: i, Name: label, Kind: kind.Name, Tracker: kind.Tracker, Target: target(kind, i.Options), Wants: wantsOf(i.IntegrationSettings, kind.Tracker)}
	if card.Name == "" {
		card.Name = kind.Name
	}
	if i.QuietHours != nil {
		card.Quiet = i.QuietHours.Words()
	}
	if kind.LinkOnly {
		card.Wants = "Only links errors to issues that exist."
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
