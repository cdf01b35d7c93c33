package channel

import (
	"context"
	"fmt"
)

// mattermost posts by an incoming webhook (developers.mattermost.com/integrate/webhooks/incoming, and
// /integrate/reference/message-attachments for what is in it). A post has at most 16,383 characters.
func mattermost() Kind {
	return Kind{
		Type: "Mattermost", Name: "Mattermost",
		About: "Messages in a Mattermost channel, sent by an incoming webhook.",
		Options: []Option{
			{Name: "url", Label: "Webhook URL", About: "URL of an incoming webhook, such as https://chat.example.org/hooks/….", Form: Address, Required: true, Secret: true},
			{Name: "channel", Label: "Channel", About: "Instead of the webhook's channel: the name of a channel, as in its URL.", Form: Text},
		},
		Make: func(t Tools, v Values) Sender { return mattermostSender{t, v} },
	}
}

type mattermostSender struct {
	Tools
	values Values
}

type mattermostMessage struct {
	Channel     string                 `json:"channel,omitempty"`
	Attachments []mattermostAttachment `json:"attachments"`
}

type mattermostAttachment struct {
	Fallback string            `json:"fallback"`
	Colour   string            `json:"color"`
	Title    string            `json:"title"`
	Link     string            `json:"title_link"`
	Text     string            `json:"text"`
	Fields   []mattermostField `json:"fields,omitempty"`
	Footer   string            `json:"footer"`
}

type mattermostField struct {
	Short bool   `json:"short"`
	Title string `json:"title"`
	Value string `json:"value"`
}

func (s mattermostSender) Send(ctx context.Context, m Message) (Receipt, error) {
	a, err := s.postJSON(ctx, s.values["url"], nil, mattermostMessage{
		Channel: s.values["channel"], Attachments: []mattermostAttachment{attachment(m.brief())},
	})
	return Receipt{Status: a.status}, acknowledged("Mattermost", a, err, a.saysOK())
}

func attachment(m Message) mattermostAttachment {
	a := mattermostAttachment{
		Fallback: fit(m.Text, longestText, unmentioned), Colour: fmt.Sprintf("#%06x", m.Mood.colour()),
		Title: m.Mood.sign() + " " + fit(m.Headline(), 2*longestTitle, forMarkdown), Link: m.URL, Footer: fit(m.place(), 300, unmentioned),
		Text: joined(8000, "\n", fit(m.Detail, 3*longestDetail, forMarkdown), m.acknowledgeInMarkdown(), fence(m.Trace)),
	}
	for _, f := range m.Facts {
		a.Fields = append(a.Fields, mattermostField{true, fit(f.Name, 2*longestName, forMarkdown), fit(f.Value, 3*longestValue, forMarkdown)})
	}
	return a
}

// unmentioned prevents mentions in texts that are not Markdown.
func unmentioned(r rune) string {
	if r == '@' {
		return "@" + none
	}
	return string(r)
}
