package channel

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// email is the kind that sends emails through the configured mail server.
func email() Kind {
	return Kind{
		Type: "Email", Name: "Email",
		About: "Email to one or more addresses.",
		Options: []Option{
			{Name: "addresses", Label: "Addresses", About: "Email addresses, separated by commas.", Form: Emails, Required: true},
		},
		Make: func(t Tools, v Values) Sender { return emailSender{t, v} },
	}
}

type emailSender struct {
	Tools
	values Values
}

// Send sends an email to each address; a retry skips addresses that already received it, as far as this process knows. All
// emails have the same Message-ID, so that duplicates can be recognized.
func (s emailSender) Send(ctx context.Context, m Message) (Receipt, error) {
	if s.Email == nil {
		return Receipt{}, failure(true, "email is off: the operator of this server can turn it on with SETT_SMTP_URL")
	}
	one, err := s.write(m)
	if err != nil {
		return Receipt{}, failure(true, "the email could not be composed")
	}
	to := addresses(s.values["addresses"])
	var refused, waiting []string
	for _, one.To = range to {
		if m.Try > 1 && s.Email.mailed.before(one) {
			continue
		}
		f, failed := errors.AsType[*Failure](s.Email.Send(ctx, one))
		switch {
		case !failed:
			s.Email.mailed.note(one)
		case f.Permanent:
			refused = append(refused, one.To+": "+f.Problem)
		default:
			waiting = append(waiting, one.To+": "+f.Problem)
		}
	}
	return Receipt{}, partly(len(to), refused, waiting)
}

// partly lists the addresses that failed; nil if none did. If any of them can be retried, the delivery is retried.
func partly(all int, refused, waiting []string) error {
	bad := len(refused) + len(waiting)
	if bad == 0 {
		return nil
	}
	problem := strings.Join(append(waiting, refused...), "; ")
	if bad < all {
		problem = fmt.Sprintf("sent to %d of %d addresses; failed: %s", all-bad, all, problem)
	}
	return failure(len(waiting) == 0, problem)
}

// write renders the message as an email without a recipient.
func (s emailSender) write(m Message) (Mail, error) {
	letter := s.Letter
	if letter == nil {
		letter = plainLetter
	}
	subject, text, html, err := letter(m)
	return Mail{
		ID: s.Email.MessageID(m.ID), Date: m.At,
		Subject: fit(clean(subject, ""), longestTitle, plainly), Text: text, HTML: html,
	}, err
}

// plainLetter is an email with the same text that other services receive.
func plainLetter(m Message) (subject, text, html string, err error) {
	m = m.brief()
	return m.Line(), m.Headline() + "\n\n" + m.plain(10_000) + "\n\n" + m.URL + "\n", "", nil
}
