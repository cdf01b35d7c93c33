package channel

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
)

// tracker is a place for issues. Its errors are always a *Failure, and its receipts have a status beside one too.
type tracker interface {
	// create makes an issue; the receipt has its link.
	create(ctx context.Context, m Message) (Receipt, error)
	// set opens or closes the issue of a link. One that is so already stays as it is.
	set(ctx context.Context, link triage.LinkData, open bool) (Receipt, error)
}

// lister is a tracker that makes one more issue for every request to make one.
type lister interface {
	// list returns the issues that were made since then, the oldest first.
	list(ctx context.Context, since time.Time) (issueList, error)
}

// trackerSender does in a tracker what a message asks for.
type trackerSender struct {
	tracker
	kind string // Type of the kind
	name string // of the service
}

// The notes of messages with which a tracker has nothing to do.
const (
	noIssue     = "not sent: the error is not linked with an issue in this tracker"
	issueThere  = "not sent: the error is already linked with an issue"
	issueSo     = "the issue already had this state"
	issueMade   = "an earlier attempt created the issue"
	noIssueWork = "not sent: this event does not create, close or reopen an issue"
)

func (s trackerSender) Send(ctx context.Context, m Message) (Receipt, error) {
	linked := m.Issue != nil
	switch m.Event {
	case alerts.AlertIssueCreate, alerts.AlertOccurred:
		if !linked {
			return s.make(ctx, m.brief())
		}
		if m.Event == alerts.AlertIssueCreate {
			return Receipt{Note: issueThere}, nil
		}
		return s.turn(ctx, m, true) // what is linked and occurs as if it were new had been resolved, or was silent
	case alerts.AlertIssueReopen, alerts.AlertUnresolved:
		return s.turn(ctx, m, true)
	case alerts.AlertIssueClose, alerts.AlertResolved:
		return s.turn(ctx, m, false)
	case alerts.AlertCommented:
		return s.say(ctx, m)
	}
	return Receipt{Note: noIssueWork}, nil
}

// make has an issue made, of which the answer must say enough to find it again, unless an earlier try has made it.
func (s trackerSender) make(ctx context.Context, m Message) (Receipt, error) {
	receipt, err := s.find(ctx, m)
	if err == nil && receipt.Link == nil {
		receipt, err = s.create(ctx, m)
	}
	if err == nil && receipt.Link.Validate(s.kind) != nil {
		err = answer{status: receipt.Status}.strange(s.name)
	}
	if err != nil {
		return Receipt{Status: receipt.Status}, err
	}
	return receipt, nil
}

// turn opens or closes the issue that a fault is linked with. That an issue is gone says nothing of its tracker.
func (s trackerSender) turn(ctx context.Context, m Message, open bool) (Receipt, error) {
	if m.Issue == nil {
		return Receipt{Note: noIssue}, nil
	}
	if !m.Issue.Link.Identifies(s.kind) {
		return Receipt{}, failure(true, "the link does not identify an issue; unlink the error and link it again")
	}
	receipt, err := s.set(ctx, m.Issue.Link, open)
	if err != nil {
		receipt.SetAt = time.Time{}
	}
	return receipt, gone(err)
}

// gone returns the failure of a request about an issue, as that of a missing issue if it is one.
func gone(err error) error {
	if f, ok := errors.AsType[*Failure](err); ok && (f.Status == http.StatusNotFound || f.Status == http.StatusGone) {
		return goneIssue(f.Status, f.Problem)
	}
	return err
}

// goneIssue is the failure to find the issue that a fault is linked with.
func goneIssue(status int, problem string) *Failure {
	f := failure(true, "the linked issue does not exist, or this token cannot read it; unlink the error to create a new issue: "+problem)
	f.Status = status
	return f
}

// linkText reads a text of a link; "" for none.
func linkText(link triage.LinkData, name string) (text string) {
	_ = json.Unmarshal(link[name], &text)
	return text
}

// linkNumber reads a number of a link as its digits; "" for none.
func linkNumber(link triage.LinkData, name string) string {
	var n json.Number
	_ = json.Unmarshal(link[name], &n)
	return n.String()
}
