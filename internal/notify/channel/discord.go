package channel

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// discord posts by a webhook (docs.discord.com/developers/resources/webhook#execute-webhook). An embed has at most 6,000
// characters in all its texts: 256 in a title, 4,096 in a description, 25 fields of 256 and 1,024.
func discord() Kind {
	return Kind{
		Type: "Discord", Name: "Discord",
		About: "Messages in a Discord channel, sent by a webhook.",
		Options: []Option{
			{Name: "url", Label: "Webhook URL", About: "In the channel's settings, open Integrations, Webhooks, and copy the URL.", Form: Address, Required: true, Secret: true},
		},
		Make: func(t Tools, v Values) Sender { return discordSender{t, v} },
	}
}

type discordSender struct {
	Tools
	values Values
}

type discordMessage struct {
	Embeds   []discordEmbed  `json:"embeds"`
	Mentions discordMentions `json:"allowed_mentions"`
}

// discordMentions lists who may be mentioned; its empty list means no one.
type discordMentions struct {
	Parse []string `json:"parse"`
}

type discordEmbed struct {
	Title       string         `json:"title"`
	URL         string         `json:"url"`
	Description string         `json:"description,omitempty"`
	Colour      int            `json:"color"`
	Timestamp   time.Time      `json:"timestamp"`
	Fields      []discordField `json:"fields,omitempty"`
	Footer      discordFooter  `json:"footer"`
}

type discordField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

type discordFooter struct {
	Text string `json:"text"`
}

func (s discordSender) Send(ctx context.Context, m Message) (Receipt, error) {
	a, err := s.postJSON(ctx, with(s.values["url"], "wait", "true"), nil, discordMessage{
		[]discordEmbed{embed(m.brief())}, discordMentions{[]string{}},
	})
	err = acknowledged("Discord", a, err, a.status == http.StatusNoContent || a.has("id"))
	return Receipt{Status: a.status}, delayed(err, a, func(body []byte) float64 {
		var said struct {
			RetryAfter float64 `json:"retry_after"`
		}
		_ = json.Unmarshal(body, &said)
		return said.RetryAfter
	})
}

func embed(m Message) discordEmbed {
	e := discordEmbed{
		Title: m.Mood.sign() + " " + fit(m.Headline(), 250, forMarkdown), URL: m.URL, Colour: m.Mood.colour(), Timestamp: m.At.UTC(),
		Description: joined(3000, "\n", fit(m.Detail, 1500, forMarkdown), m.acknowledgeInMarkdown(), codeBlock(m.Trace, plainly)),
		Footer:      discordFooter{m.place()},
	}
	for _, f := range m.Facts {
		e.Fields = append(e.Fields, discordField{fit(f.Name, longestName, forMarkdown), fit(f.Value, longestValue, forMarkdown), true})
	}
	return e
}
