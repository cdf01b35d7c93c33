package fromkuma

import (
	"context"
	"encoding/json"
	"fmt"

	"sett/internal/sett/move"
	"sett/internal/store/otherdb"
)

// service is how a kind of notification becomes a channel: the options of sett by the names that they have at the source.
type service struct {
	kind    string
	options map[string]string
	note    string // what is different in sett
}

var services = map[string]service{
	"telegram":   {kind: "Telegram", options: map[string]string{"telegramBotToken": "token", "telegramChatID": "chat_id", "telegramMessageThreadID": "thread_id", "telegramServerUrl": "server"}},
	"discord":    {kind: "Discord", options: map[string]string{"discordWebhookUrl": "url"}},
	"slack":      {kind: "Slack", options: map[string]string{"slackwebhookURL": "url"}},
	"mattermost": {kind: "Mattermost", options: map[string]string{"mattermostWebhookUrl": "url", "mattermostchannel": "channel"}},
	"GoogleChat": {kind: "GoogleChat", options: map[string]string{"googleChatWebhookURL": "url"}},
	"teams":      {kind: "MSTeams", options: map[string]string{"webhookUrl": "url"}},
	"ntfy":       {kind: "Ntfy", options: map[string]string{"ntfyserverurl": "url", "ntfytopic": "topic", "ntfyaccesstoken": "token"}},
	"pushover":   {kind: "Pushover", options: map[string]string{"pushoverapptoken": "token", "pushoveruserkey": "user"}},
	"PagerDuty":  {kind: "PagerDutyV2", options: map[string]string{"pagerdutyIntegrationKey": "routing_key"}},
	"Opsgenie":   {kind: "Opsgenie", options: map[string]string{"opsgenieApiKey": "api_key", "opsgenieRegion": "region"}},
	"webhook":    {kind: "WebHook", options: map[string]string{"webhookURL": "url"}, note: "The body is that of sett; what receives it must be changed."},
	"smtp":       {kind: "Email", options: map[string]string{"smtpTo": "addresses"}, note: "Mails are sent by the mail server of sett."},
}

// channels reads where notifications go. Their secrets are in clear text there, and come.
func (r *reader) channels(ctx context.Context) error {
	return r.rows(ctx, "notification", "id", func(row otherdb.Row) {
		name := move.Line(row.Text("name"), move.MostName)
		config := map[string]any{}
		if json.Unmarshal([]byte(row.Text("config")), &config) != nil {
			r.Leave("channels", name, "Its settings cannot be read.", move.ChannelsPage)
			return
		}
		kind, _ := config["type"].(string)
		known, ok := services[kind]
		if !ok {
			r.Leave("channels", name, "sett has no channel of the type "+move.Line(kind, 40)+".", move.ChannelsPage)
			return
		}
		c := move.Channel{ID: row.Text("id"), Name: name, Type: known.kind, Options: map[string]any{}}
		for theirs, ours := range known.options {
			if value := config[theirs]; value != nil && fmt.Sprint(value) != "" {
				c.Options[ours] = fmt.Sprint(value)
			}
		}
		r.Channels = append(r.Channels, c)
		if known.note != "" {
			r.Leave("channels", name, known.note, move.ChannelsPage)
		}
	})
}
