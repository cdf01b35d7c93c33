package channel

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// pushover sends to the devices of a user or group (pushover.net/api): 1,024 characters in a message, 250 in a title, 512 in
// a URL. Errors are in JSON, with a status of 4xx.
func pushover() Kind {
	return Kind{
		Type: "Pushover", Name: "Pushover",
		About: "Notifications on the devices of a Pushover user or group.",
		Options: []Option{
			{Name: "token", Label: "Application token", About: "API token of your application at pushover.net.", Form: Text, Required: true, Secret: true},
			{Name: "user", Label: "User or group key", About: "Key of the user or group to notify.", Form: Text, Required: true, Secret: true},
			{
				Name: "priority", Label: "Priority", Form: Choice, Choices: []string{"-1", "0", "1"}, Default: "0",
				About: "Priority of failures. -1 makes no sound; 1 bypasses the quiet hours of Pushover.",
			},
		},
		Make: func(t Tools, v Values) Sender { return pushoverSender{t, v} },
	}
}

type pushoverSender struct {
	Tools
	values Values
}

const (
	longestPushoverMessage = 1024
	longestPushoverTitle   = 250
	longestPushoverURL     = 512
)

func (s pushoverSender) Send(ctx context.Context, m Message) (Receipt, error) {
	a, err := s.postForm(ctx, s.service("https://api.pushover.net")+"/1/messages.json", nil, s.form(m.brief()))
	if err != nil {
		return Receipt{Status: a.status}, err
	}
	var said struct {
		Status int      `json:"status"`
		Errors []string `json:"errors"`
	}
	if err = a.understand("Pushover", &said); err == nil && said.Status != 1 {
		err = s.refused(a, true, "Pushover returned: "+strings.Join(said.Errors, "; "))
	}
	return Receipt{Status: a.status}, err
}

func (s pushoverSender) form(m Message) url.Values {
	form := url.Values{
		"token": {s.values["token"]}, "user": {s.values["user"]}, "timestamp": {fmt.Sprint(m.At.Unix())}, "priority": {"-1"},
		"title":   {fit(m.Mood.sign()+" "+m.Headline(), longestPushoverTitle, plainly)},
		"message": {fit(m.plain(longestPushoverMessage), longestPushoverMessage, plainly)},
	}
	switch {
	case m.Mood == Trouble && s.values["priority"] != "":
		form.Set("priority", s.values["priority"])
	case m.Mood != News:
		form.Set("priority", "0")
	}
	if length(m.URL) <= longestPushoverURL {
		form.Set("url", m.URL)
		form.Set("url_title", "Open in sett")
	}
	return form
}
