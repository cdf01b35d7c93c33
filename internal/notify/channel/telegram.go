package channel

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"sett/internal/sett"
)

// telegram posts as a bot (core.telegram.org/bots/api#sendmessage): 4,096 characters, not counting markup. Errors are in
// JSON, with the time to wait in its parameters (core.telegram.org/bots/api#responseparameters).
func telegram() Kind {
	return Kind{
		Type: "Telegram", Name: "Telegram",
		About: "Messages in a Telegram chat, sent by your own bot.",
		Options: []Option{
			{Name: "token", Label: "Bot token", About: "Token that you get from @BotFather.", Form: Text, Required: true, Secret: true},
			{Name: "chat_id", Label: "Chat", About: "ID of the chat, or @name of a public channel. The bot must be a member.", Form: Text, Required: true},
			{Name: "thread_id", Label: "Topic", About: "ID of a topic, in groups with topics.", Form: Text},
			{Name: "server", Label: "Bot API server", About: "URL of your own server, instead of https://api.telegram.org.", Form: Address},
		},
		Check: checkTelegram,
		Make:  func(t Tools, v Values) Sender { return telegramSender{t, v} },
	}
}

var (
	telegramChat   = regexp.MustCompile(`^(-?[0-9]{1,20}|@[A-Za-z0-9_]+)$`)
	telegramThread = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)
)

func checkTelegram(p *sett.Problems, v Values) {
	if id := v["chat_id"]; id != "" && !telegramChat.MatchString(id) {
		p.Add("options.chat_id", "must be a number or an @name")
	}
	if id := v["thread_id"]; id != "" && !telegramThread.MatchString(id) {
		p.Add("options.thread_id", "must be a number")
	}
}

type telegramSender struct {
	Tools
	values Values
}

type telegramMessage struct {
	Chat    string          `json:"chat_id"`
	Thread  json.Number     `json:"message_thread_id,omitempty"`
	Text    string          `json:"text"`
	Mode    string          `json:"parse_mode"`
	Preview telegramPreview `json:"link_preview_options"`
}

type telegramPreview struct {
	Off bool `json:"is_disabled"`
}

func (s telegramSender) Send(ctx context.Context, m Message) (Receipt, error) {
	server := s.values["server"]
	if server == "" {
		server = s.service("https://api.telegram.org")
	}
	a, err := s.postJSON(ctx, under(server, "bot"+s.values["token"], "sendMessage"), nil, telegramMessage{
		s.values["chat_id"], json.Number(s.values["thread_id"]), telegramText(m.brief()), "HTML", telegramPreview{true},
	})
	if err != nil {
		return Receipt{Status: a.status}, delayed(err, a, telegramWait)
	}
	var said struct {
		OK          bool   `json:"ok"`
		Description string `json:"description"`
	}
	if err = a.understand("Telegram", &said); err == nil && !said.OK {
		err = s.refused(a, true, "Telegram returned: "+a.quote(said.Description))
	}
	return Receipt{Status: a.status}, err
}

func telegramWait(body []byte) float64 {
	var said struct {
		Parameters struct {
			RetryAfter float64 `json:"retry_after"`
		} `json:"parameters"`
	}
	_ = json.Unmarshal(body, &said)
	return said.Parameters.RetryAfter
}

// telegramText writes the message as HTML (core.telegram.org/bots/api#html-style).
func telegramText(m Message) string {
	title := m.Mood.sign() + ` <b><a href="` + fit(m.URL, 1000, forHTML) + `">` + fit(m.Headline(), 2*longestTitle, forHTML) + "</a></b>\n" +
		fit(m.place(), 300, forHTML)
	trace, acknowledge := "", ""
	if m.Acknowledge != "" {
		acknowledge = `<a href="` + fit(m.Acknowledge, 1000, forHTML) + `">` + acknowledgeLabel + "</a>"
	}
	if len(m.Trace) > 0 {
		trace = "<pre>" + fit(strings.Join(m.Trace, "\n"), longestDetail, forHTML) + "</pre>"
	}
	return joined(4096, "\n\n", title, fit(m.Detail, longestDetail, forHTML), acknowledge, m.factLines(forHTML, "<b>", "</b>"), trace)
}
