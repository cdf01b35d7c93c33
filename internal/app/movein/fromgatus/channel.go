package fromgatus

import (
	"fmt"
	"maps"
	"slices"

	"sett/internal/sett/move"
)

// service is how a provider of alerts becomes a channel: the options of sett by the names that they have in Gatus.
type service struct {
	kind    string
	options map[string]string
	note    string // what is different in sett
}

var services = map[string]service{
	"slack":           {kind: "Slack", options: map[string]string{"webhook-url": "url"}},
	"discord":         {kind: "Discord", options: map[string]string{"webhook-url": "url"}},
	"mattermost":      {kind: "Mattermost", options: map[string]string{"webhook-url": "url", "channel": "channel"}},
	"googlechat":      {kind: "GoogleChat", options: map[string]string{"webhook-url": "url"}},
	"teams-workflows": {kind: "MSTeams", options: map[string]string{"webhook-url": "url"}},
	"telegram":        {kind: "Telegram", options: map[string]string{"token": "token", "id": "chat_id", "topic-id": "thread_id"}},
	"ntfy":            {kind: "Ntfy", options: map[string]string{"url": "url", "topic": "topic", "token": "token"}},
	"pushover":        {kind: "Pushover", options: map[string]string{"application-token": "token", "user-key": "user"}},
	"pagerduty":       {kind: "PagerDutyV2", options: map[string]string{"integration-key": "routing_key"}},
	"opsgenie":        {kind: "Opsgenie", options: map[string]string{"api-key": "api_key"}},
	"custom":          {kind: "WebHook", options: map[string]string{"url": "url"}, note: "The body is that of sett; what receives it must be changed."},
	"email":           {kind: "Email", options: map[string]string{"to": "addresses"}, note: "Mails are sent by the mail server of sett."},
}

// channels reads where alerts go.
func (r *reader) channels(providers map[string]map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		known, ok := services[name]
		if !ok {
			r.Leave("channels", name, "sett has no channel of this type.", move.ChannelsPage)
			continue
		}
		c := move.Channel{ID: name, Name: name, Type: known.kind, Options: map[string]any{}}
		for theirs, ours := range known.options {
			if value := providers[name][theirs]; value != nil && fmt.Sprint(value) != "" {
				c.Options[ours] = fmt.Sprint(value)
			}
		}
		r.Channels = append(r.Channels, c)
		if known.note != "" {
			r.Leave("channels", name, known.note, move.ChannelsPage)
		}
		if providers[name]["overrides"] != nil {
			r.Leave("channels", name, "Its overrides for groups do not come: create a channel for each.", move.ChannelsPage)
		}
	}
}
