package channel

import "context"

// pivotalTracker is the story tracker of the contract's link rules. The service itself has ended, so nothing is sent to it;
// what has its interface and its addresses can be linked with.
func pivotalTracker() Kind {
	return Kind{
		Type: "PivotalTracker", Name: "Pivotal Tracker", Tracker: true, LinkOnly: true,
		About: "Links errors to existing stories. sett sends nothing, so it does not create, close or reopen stories.",
		Make:  func(Tools, Values) Sender { return linkOnly{} },
	}
}

// linkOnly sends nothing.
type linkOnly struct{}

// Send notes that there is nothing to send.
func (linkOnly) Send(context.Context, Message) (Receipt, error) {
	return Receipt{Note: "not sent: errors can only be linked with this tracker"}, nil
}
