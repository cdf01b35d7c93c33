package channel

import (
	"context"
	"math"
	"strings"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
)

// commenter is a tracker in which sett can comment on an issue.
type commenter interface {
	comment(ctx context.Context, m Message, link triage.LinkData) (Receipt, error)
}

// say writes the comment of a message on the linked issue.
func (s trackerSender) say(ctx context.Context, m Message) (Receipt, error) {
	c, can := s.tracker.(commenter)
	switch {
	case !can:
		return Receipt{Note: noIssueWork}, nil
	case m.Issue == nil:
		return Receipt{Note: noIssue}, nil
	case !m.Issue.Link.Identifies(s.kind):
		return Receipt{}, failure(true, "the link does not identify an issue; unlink the error and link it again")
	}
	m = m.brief()
	m.Trace, m.Facts = nil, nil
	receipt, err := c.comment(ctx, m, m.Issue.Link)
	return receipt, gone(err)
}

// commentText is the text of a comment. Its first line is the stamp by which sett knows its own comments again; see triage.OwnComment.
func commentText(m Message, link string, block func([]string) string) string {
	return link + "\n\n" + block(strings.Split(joined(math.MaxInt32, "\n\n", m.Title, m.Detail), "\n"))
}

func markdownComment(m Message) string {
	return commentText(m, "["+triage.CommentMark+"]("+m.stamp()+")", markdownBlock)
}

// webhookSecret is the option of trackers that send webhooks to sett.
func webhookSecret(about string) Option {
	return Option{
		Name: alerts.WebhookSecret, Label: "Webhook secret", About: about, Form: Text, Secret: true, Step: Later,
		Generate: alerts.NewSigningSecret, Kept: true,
	}
}

const usualSecret = "Signs what the tracker sends to sett."

// clock is the end of the second in which a service answered, by its own clock; zero if it does not say.
func (a answer) clock() time.Time {
	at, err := time.Parse(time.RFC1123, a.header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at.Add(time.Second).UTC()
}
