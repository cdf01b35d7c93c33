package channel

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"sett/internal/sett"
)

// ntfy publishes to a topic (docs.ntfy.sh/publish/#publish-as-json): a message of more than 4,096 bytes would become a file.
// Priorities are 1 to 5 (docs.ntfy.sh/publish/#message-priority).
func ntfy() Kind {
	return Kind{
		Type: "Ntfy", Name: "ntfy",
		About: "Notifications to the subscribers of an ntfy topic.",
		Options: []Option{
			{Name: "url", Label: "Server", About: "https://ntfy.sh, or the URL of your own server.", Form: Address, Required: true, Default: "https://ntfy.sh"},
			{Name: "topic", Label: "Topic", About: "If the server requires no token, anyone who knows the topic can read its messages.", Form: Text, Required: true, Secret: true},
			{Name: "token", Label: "Access token", About: "If the server requires one: an access token that starts with tk_.", Form: Text, Secret: true},
		},
		Check: checkNtfy,
		Make:  func(t Tools, v Values) Sender { return ntfySender{t, v} },
	}
}

func checkNtfy(p *sett.Problems, v Values) {
	if u, err := url.Parse(v["url"]); err == nil && strings.Trim(u.Path, "/") != "" {
		p.Add("options.url", "must be only the URL of the server; enter the topic separately")
	}
}

type ntfySender struct {
	Tools
	values Values
}

type ntfyMessage struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags"` // names of emoji
	Click    string   `json:"click"`

	Actions []ntfyAction `json:"actions"`
}

// ntfyAction is a button (docs.ntfy.sh/publish/#action-buttons).
type ntfyAction struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
}

const longestNtfyMessage = 4000 // bytes

func (s ntfySender) Send(ctx context.Context, m Message) (Receipt, error) {
	header := http.Header{}
	if token := s.values["token"]; token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	a, err := s.postJSON(ctx, s.values["url"], header, s.message(m.brief()))
	return Receipt{Status: a.status}, acknowledged("ntfy", a, err, a.has("id"))
}

func (s ntfySender) message(m Message) ntfyMessage {
	out := ntfyMessage{
		Topic: s.values["topic"], Title: m.Headline(), Message: fitBytes(m.plain(longestNtfyMessage), longestNtfyMessage),
		Priority: 3, Tags: []string{"information_source"}, Click: m.URL,
		Actions: []ntfyAction{{"view", "Open in sett", m.URL}},
	}
	if m.Acknowledge != "" {
		out.Actions = append(out.Actions, ntfyAction{"view", acknowledgeLabel, m.Acknowledge})
	}
	switch m.Mood {
	case Trouble:
		out.Priority, out.Tags = 4, []string{"red_circle"}
	case Recovery:
		out.Tags = []string{"green_circle"}
	}
	return out
}
