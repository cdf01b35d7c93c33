package channel

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// zulip posts to a channel, once called a stream, as a bot (zulip.com/api/send-message): a topic has at most 60 characters,
// a message 10,000. Errors are in JSON (zulip.com/api/rest-error-handling). Its Markdown has no escapes, so texts from
// outside are in a block of code, where mentions have no effect.
func zulip() Kind {
	return Kind{
		Type: "Zulip", Name: "Zulip",
		About: "Messages in a Zulip channel, sent by your own bot.",
		Options: []Option{
			{Name: "site", Label: "Server", About: "URL of your organization, such as https://acme.zulipchat.com.", Form: Address, Required: true},
			{Name: "bot_email", Label: "Bot email", About: "Email of a bot that may post to the channel.", Form: Text, Required: true},
			{Name: "api_key", Label: "API key", About: "API key of the bot.", Form: Text, Required: true, Secret: true},
			{Name: "stream", Label: "Channel", About: "Name of the channel.", Form: Text, Required: true},
			{Name: "topic", Label: "Topic", About: "Topic of the messages. Defaults to the project's name.", Form: Text},
		},
		Make: makeZulip,
	}
}

func makeZulip(t Tools, v Values) Sender {
	login := base64.StdEncoding.EncodeToString([]byte(v["bot_email"] + ":" + v["api_key"]))
	t.secrets = append(slices.Clip(t.secrets), login)
	return zulipSender{t, v, login}
}

type zulipSender struct {
	Tools
	values Values
	login  string // of HTTP's basic authentication
}

const (
	longestZulipTopic   = 60
	longestZulipMessage = 9000
)

func (s zulipSender) Send(ctx context.Context, m Message) (Receipt, error) {
	m = m.brief()
	topic := s.values["topic"]
	if topic == "" {
		topic = m.Project
	}
	channel, _ := marshal(s.values["stream"]) // or a name of digits would be an id
	a, err := s.postForm(ctx, under(s.values["site"], "api", "v1", "messages"), http.Header{"Authorization": {"Basic " + s.login}}, url.Values{
		"type": {"stream"}, "to": {string(channel)}, "topic": {fit(topic, longestZulipTopic, plainly)}, "content": {zulipText(m)},
	})
	if err != nil {
		return Receipt{Status: a.status}, delayed(err, a, zulipWait)
	}
	var said struct{ Result, Msg string }
	if err = a.understand("Zulip", &said); err == nil && said.Result != "success" {
		err = s.refused(a, true, "Zulip returned: "+a.quote(said.Msg))
	}
	return Receipt{Status: a.status}, err
}

func zulipWait(body []byte) float64 {
	var said struct {
		RetryAfter float64 `json:"retry-after"`
	}
	_ = json.Unmarshal(body, &said)
	return said.RetryAfter
}

func zulipText(m Message) string {
	block := fence(strings.Split(joined(longestZulipMessage, "\n\n", m.Line(), m.Detail, m.factLines(plainly, "", ""), strings.Join(m.Trace, "\n")), "\n"))
	links := strings.Join(slices.DeleteFunc([]string{"[Open in sett](" + m.URL + ")", m.acknowledgeInMarkdown()}, isEmpty), " · ")
	return m.Mood.sign() + " " + links + "\n" + block
}
