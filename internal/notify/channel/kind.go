package channel

import (
	"context"
	"net/http"
	"slices"
	"time"

	"sett/internal/base/dial"
	"sett/internal/sett"
	"sett/internal/sett/triage"
)

// Kind describes one kind of channel. Forms, validation, documentation and what is hidden of its secrets are all drawn
// from it.
type Kind struct {
	Type    string // as the interface names it, such as "WebHook"
	Name    string // as people do
	About   string // a sentence: what is sent where
	Tracker bool   // an issue tracker: it makes, closes and reopens issues
	// LinkOnly says of a tracker that nothing is sent to it: people link faults with what is there.
	LinkOnly bool
	Hears    bool // of a tracker: its webhook says what becomes of issues, and comments go both ways
	Options  []Option
	Check    func(p *sett.Problems, v Values) // what no option can say by itself; nil: nothing
	Make     func(Tools, Values) Sender

	// Issue returns where a browser shows the issue of a link that holds no such address itself, "" when that is not known;
	// nil: it never is.
	Issue func(Values, triage.LinkData) string
}

// Sender sends messages to one place. It is used for one message, and its error is always a *Failure.
type Sender interface {
	Send(ctx context.Context, m Message) (Receipt, error)
}

// Receipt is what is known of a message that was taken.
type Receipt struct {
	Status int             // of HTTP; 0 where none is spoken
	Link   triage.LinkData // of the issue that was made; nil: none was
	SetAt  time.Time       // when an issue was set, by the clock of its tracker: no change before is news; zero: not known
	Note   string          // what there is to know of it, such as that there was nothing to send; "" for nothing
}

// Tools are what senders work with.
type Tools struct {
	HTTP   *http.Client                                          // of package dial, which follows no redirects
	Egress dial.Policy                                           // of HTTP
	Email  *Email                                                // nil: mail is off
	Letter func(Message) (subject, text, html string, err error) // puts a message into a mail; nil: as plain as it can be
	Agent  string                                                // the User-Agent of requests
	Now    func() time.Time                                      // nil: time.Now

	secrets []string // are in no failure
	instead string   // address of a test's server, which stands in for all services that have one address; "" for none
}

func (t Tools) now() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}

// service returns the address of a hosted service.
func (t Tools) service(address string) string {
	if t.instead != "" {
		return t.instead
	}
	return address
}

// nothingToSend is the note of a message that a service has no use for.
const nothingToSend = "not sent: this channel receives only failures and recoveries"

// Kinds are all kinds of channels in the order in which people choose from them.
func Kinds() []Kind {
	all := []Kind{
		email(),
		webHook(),
		slack(),
		discord(),
		msTeams(),
		mattermost(),
		googleChat(),
		telegram(),
		zulip(),
		pagerDuty(),
		opsgenie(),
		jsm(),
		alertmanager(),
		ntfy(),
		pushover(),
		gitHub(),
		gitLab(),
		jira(),
		linear(),
		trello(),
		pivotalTracker(),
	}
	for i, k := range all {
		all[i] = k.discreet()
	}
	return all
}

// Find returns the kind with that name.
func Find(kind string) (Kind, bool) {
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Type == kind })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}
