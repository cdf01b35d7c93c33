package channel

import (
	"context"
	"net/http"
	"slices"

	"sett/internal/sett"
)

// slack posts by an incoming webhook (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks), which reports
// errors by its status, or as a bot (docs.slack.dev/reference/methods/chat.postMessage), which reports them in a 200.
func slack() Kind {
	return Kind{
		Type: "Slack", Name: "Slack",
		About: "Messages in a Slack channel, sent by an incoming webhook or by your own bot.",
		Options: []Option{
			{Name: "url", Label: "Webhook URL", About: "URL of an incoming webhook, which also sets the channel.", Form: Address, Secret: true, Step: First},
			{Name: "token", Label: "Bot token", About: "Instead of a webhook: a bot token that starts with xoxb- and has the scope chat:write.", Form: Text, Secret: true, Step: First},
			{Name: "channel_id", Label: "Channel", About: "Where the bot posts: a channel ID such as C024BE91L, or #name.", Form: Text, Step: First},
			{Name: "channel_name", Label: "Channel name", About: "Name of the channel, shown only in sett.", Form: Text},
			{Name: "team_name", Label: "Workspace", About: "Name of the workspace, shown only in sett.", Form: Text},
			{Name: "disable_backtrace", Label: "No backtrace", About: "Leave out the backtrace.", Form: Flag, Default: "0"},
		},
		Check: checkSlack,
		Make:  func(t Tools, v Values) Sender { return slackSender{t, v} },
	}
}

func checkSlack(p *sett.Problems, v Values) {
	switch {
	case v["url"] == "" && v["token"] == "":
		p.Add("options.url", "can't be blank without a token and a channel_id")
	case v["url"] == "" && v["channel_id"] == "":
		p.Add("options.channel_id", "can't be blank with a token")
	}
}

type slackSender struct {
	Tools
	values Values
}

// slackMessage is what both ways of posting take (docs.slack.dev/reference/block-kit).
type slackMessage struct {
	Channel     string       `json:"channel,omitempty"`
	Text        string       `json:"text"` // for notifications, and where blocks cannot be shown
	Blocks      []slackBlock `json:"blocks"`
	UnfurlLinks bool         `json:"unfurl_links"`
	UnfurlMedia bool         `json:"unfurl_media"`
}

type slackBlock struct {
	Type   string      `json:"type"`
	Text   *slackText  `json:"text,omitempty"`
	Fields []slackText `json:"fields,omitempty"` // at most ten
}

// slackText is text in which Slack finds no names and addresses of its own accord.
type slackText struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim"`
}

// Slack takes 3,000 characters in a section and 2,000 in a field, and about 13,000 in all blocks.
const (
	longestSlackSection = 2900
	longestSlackField   = 300
)

func (s slackSender) Send(ctx context.Context, m Message) (Receipt, error) {
	if url := s.values["url"]; url != "" {
		a, err := s.postJSON(ctx, url, nil, s.message(m, ""))
		return Receipt{Status: a.status}, acknowledged("Slack", a, err, a.saysOK())
	}
	header := http.Header{"Authorization": {"Bearer " + s.values["token"]}}
	a, err := s.postJSON(ctx, s.service("https://slack.com")+"/api/chat.postMessage", header, s.message(m, s.values["channel_id"]))
	if err == nil {
		err = s.understood(a)
	}
	return Receipt{Status: a.status}, err
}

func (s slackSender) understood(a answer) error {
	var said struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if err := a.understand("Slack", &said); err != nil || said.OK {
		return err
	}
	passing := []string{
		"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org",
	}
	return s.refused(a, !slices.Contains(passing, said.Error), "Slack returned: "+said.Error)
}

func (s slackSender) message(m Message, channel string) slackMessage {
	m = m.brief()
	if s.values["disable_backtrace"] == "1" {
		m.Trace = nil
	}
	out := slackMessage{Channel: channel, Text: fit(m.Line(), 2*longestText, forSlack)}
	title := m.Mood.sign() + " *<" + fit(m.URL, 2000, forSlack) + "|" + fit(m.Headline(), 2*longestTitle, forSlack) + ">*"
	out.section(title + "\n" + fit(m.place(), 4*longestName, forSlack))
	out.section(fit(m.Detail, longestSlackSection, forSlack))
	out.section(codeBlock(m.Trace, forSlack))
	if m.Acknowledge != "" {
		out.section("<" + fit(m.Acknowledge, 2000, forSlack) + "|" + acknowledgeLabel + ">")
	}
	if len(m.Facts) > 0 {
		out.Blocks = append(out.Blocks, slackBlock{Type: "section", Fields: slackFields(m.Facts)})
	}
	return out
}

func (m *slackMessage) section(text string) {
	if text != "" {
		m.Blocks = append(m.Blocks, slackBlock{Type: "section", Text: &slackText{"mrkdwn", text, true}})
	}
}

func slackFields(facts []Fact) (fields []slackText) {
	for _, f := range facts {
		text := "*" + fit(f.Name, 2*longestName, forSlack) + "*\n" + fit(f.Value, longestSlackField, forSlack)
		fields = append(fields, slackText{"mrkdwn", text, true})
	}
	return fields
}

// forSlack escapes the three characters that make links and mentions
// (docs.slack.dev/messaging/formatting-message-text#escaping).
func forSlack(r rune) string {
	if r == '"' {
		return `"`
	}
	return forHTML(r)
}
