package channel

import (
	"context"
	"strings"
)

// msTeams posts a card to a workflow that begins with "When a Teams webhook request is received"
// (support.microsoft.com: Create incoming webhooks with Workflows for Microsoft Teams). A message has at most 28 KB
// (learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook). Texts of others are
// in runs, which unlike blocks are shown as they are (adaptivecards.io/explorer/TextRun.html).
func msTeams() Kind {
	return Kind{
		Type: "MSTeams", Name: "Microsoft Teams",
		About: "Cards in a Microsoft Teams channel or chat, sent by a workflow.",
		Options: []Option{
			{
				Name: "url", Label: "Workflow URL", Form: Address, Required: true, Secret: true,
				About: "In Teams, create the workflow “Post to a channel when a webhook request is received” and copy its URL.",
			},
		},
		Make: func(t Tools, v Values) Sender { return msTeamsSender{t, v} },
	}
}

type msTeamsSender struct {
	Tools
	values Values
}

type teamsMessage struct {
	Type        string            `json:"type"`
	Attachments []teamsAttachment `json:"attachments"`
}

type teamsAttachment struct {
	ContentType string    `json:"contentType"`
	Content     teamsCard `json:"content"`
}

type teamsCard struct {
	Schema  string        `json:"$schema"`
	Type    string        `json:"type"`
	Version string        `json:"version"`
	Text    string        `json:"fallbackText"`
	Body    []teamsBlock  `json:"body"`
	Actions []teamsAction `json:"actions"`
}

type teamsBlock struct {
	Type    string     `json:"type"`
	Inlines []teamsRun `json:"inlines"`
}

type teamsRun struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Size   string `json:"size,omitempty"`
	Weight string `json:"weight,omitempty"`
	Colour string `json:"color,omitempty"`
	Font   string `json:"fontType,omitempty"`
	Subtle bool   `json:"isSubtle,omitempty"`
}

type teamsAction struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

func (s msTeamsSender) Send(ctx context.Context, m Message) (Receipt, error) {
	a, err := s.postJSON(ctx, s.values["url"], nil, teamsMessage{"message", []teamsAttachment{
		{"application/vnd.microsoft.card.adaptive", card(m.brief())},
	}})
	return Receipt{Status: a.status}, acknowledged("Microsoft Teams", a, err, !a.isPage()) // a workflow may answer anything
}

// mostTeamsLines is in how many blocks a detail is shown.
const mostTeamsLines = 10

func card(m Message) teamsCard {
	c := teamsCard{
		Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4", Text: m.Text,
		Actions: []teamsAction{{"Action.OpenUrl", "Open in sett", m.URL}},
	}
	if m.Acknowledge != "" {
		c.Actions = append(c.Actions, teamsAction{"Action.OpenUrl", acknowledgeLabel, m.Acknowledge})
	}
	colour := map[Mood]string{Trouble: "attention", Recovery: "good"}[m.Mood]
	c.block(teamsRun{Text: m.Headline(), Size: "medium", Weight: "bolder", Colour: colour})
	c.block(teamsRun{Text: m.place(), Subtle: true})
	for _, line := range strings.SplitN(m.Detail, "\n", mostTeamsLines) { // a line end in a run is not shown
		c.block(teamsRun{Text: clean(line, "")})
	}
	for _, f := range m.Facts {
		c.block(teamsRun{Text: f.Name + ": ", Weight: "bolder"}, teamsRun{Text: f.Value})
	}
	for _, frame := range m.Trace {
		c.block(teamsRun{Text: frame, Font: "monospace", Size: "small"})
	}
	return c
}

func (c *teamsCard) block(runs ...teamsRun) {
	if runs[0].Text == "" {
		return
	}
	for i := range runs {
		runs[i].Type = "TextRun"
	}
	c.Body = append(c.Body, teamsBlock{"RichTextBlock", runs})
}
