package channel

import (
	"context"
	"strings"
)

// googleChat posts by a webhook of a space (developers.google.com/workspace/chat/quickstart/webhooks). A message with its
// card has at most 32,000 bytes (…/chat/api/reference/rest/v1/spaces.messages/create); texts in widgets are a small HTML
// (…/chat/format-messages#card-formatting).
func googleChat() Kind {
	return Kind{
		Type: "GoogleChat", Name: "Google Chat",
		About: "Cards in a Google Chat space, sent by a webhook. Each error, site and check-in has its own thread.",
		Options: []Option{
			{Name: "url", Label: "Webhook URL", About: "In the space's menu, open Apps & integrations, Webhooks, and copy the URL.", Form: Address, Required: true, Secret: true},
		},
		Make: func(t Tools, v Values) Sender { return googleChatSender{t, v} },
	}
}

type googleChatSender struct {
	Tools
	values Values
}

type chatMessage struct {
	Fallback string       `json:"fallbackText"`
	Thread   chatThread   `json:"thread"`
	Cards    []chatCardID `json:"cardsV2"`
}

type chatThread struct {
	Key string `json:"threadKey"`
}

type chatCardID struct {
	ID   string   `json:"cardId"`
	Card chatCard `json:"card"`
}

type chatCard struct {
	Sections []chatSection `json:"sections"`
}

type chatSection struct {
	Widgets []chatWidget `json:"widgets"`
}

type chatWidget struct {
	Paragraph *chatText    `json:"textParagraph,omitempty"`
	Buttons   *chatButtons `json:"buttonList,omitempty"`
}

type chatText struct {
	Text string `json:"text"`
}

type chatButtons struct {
	Buttons []chatButton `json:"buttons"`
}

type chatButton struct {
	Text    string    `json:"text"`
	OnClick chatClick `json:"onClick"`
}

type chatClick struct {
	Link chatLink `json:"openLink"`
}

type chatLink struct {
	URL string `json:"url"`
}

func (s googleChatSender) Send(ctx context.Context, m Message) (Receipt, error) {
	address := with(s.values["url"], "messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD")
	a, err := s.postJSON(ctx, address, nil, chatMessage{
		m.brief().Line(), chatThread{m.key()}, []chatCardID{{"sett", chatCardOf(m.brief())}},
	})
	return Receipt{Status: a.status}, acknowledged("Google Chat", a, err, a.has("name"))
}

func chatCardOf(m Message) chatCard {
	html := func(text string) string { return fit(text, 2*longestDetail, forHTML) }
	var section chatSection
	for _, text := range []string{
		m.Mood.sign() + " <b>" + html(m.Headline()) + "</b><br>" + html(m.place()),
		strings.ReplaceAll(html(m.Detail), "\n", "<br>"),
		strings.ReplaceAll(m.factLines(forHTML, "<b>", "</b>"), "\n", "<br>"),
		html(strings.Join(m.Trace, "\n")),
	} {
		if text != "" {
			section.Widgets = append(section.Widgets, chatWidget{Paragraph: &chatText{text}})
		}
	}
	open := chatButton{"Open in sett", chatClick{chatLink{m.URL}}}
	buttons := []chatButton{open}
	if m.Acknowledge != "" {
		buttons = append(buttons, chatButton{acknowledgeLabel, chatClick{chatLink{m.Acknowledge}}})
	}
	section.Widgets = append(section.Widgets, chatWidget{Buttons: &chatButtons{buttons}})
	return chatCard{[]chatSection{section}}
}
