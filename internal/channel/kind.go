package channel

import (
	"context"
	"net/http"
	"slices"

	"sett/internal/sett"
)

// Kind describes one kind of channel. Forms, validation, documentation and what is hidden of its secrets are all drawn
// from it.
type Kind struct {
	Type    string // as the interface names it, such as "WebHook"
	Name    string // as people do
	About   string // a sentence: what is told where
	Tracker bool   // an issue tracker: it makes, closes and reopens issues, and has an option for when to by itself
	Options []Option
	Make    func(Tools, Values) Sender
}

// Sender sends messages to one place. It is used for one message, and its error is always a *Failure.
type Sender interface {
	Send(ctx context.Context, m Message) (Receipt, error)
}

// Receipt is what is known of a message that was taken.
type Receipt struct {
	Status int           // of HTTP; 0 where none is spoken
	Link   sett.LinkData // of the issue that was made; nil: none was
}

// Tools are what senders work with.
type Tools struct {
	HTTP  *http.Client // of package dial, which follows no redirects
	Email *Email       // nil: mail is off
	Agent string       // the User-Agent of requests
}

// Kinds are all kinds of channels in the order in which people choose from them.
func Kinds() []Kind {
	return []Kind{
		webHook(),
	}
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
