package channel

import (
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"sett/internal/base/dial"
)

// refusedLogins are the replies (RFC 4954 §6) that reject the credentials: the operator can correct them, and the email
// itself is fine.
func refusedLogins() []int { return []int{530, 534, 535, 538} }

// isPermanent reports whether the server has refused the email permanently, with 5xx in response to the email (RFC 5321
// §4.2.1). An error before the email is about the server and not about the email.
func isPermanent(err error) bool {
	refused, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return false
	}
	code := refused.ErrorCode()
	return code >= 500 && code < 600 && !slices.Contains(refusedLogins(), code)
}

// mailProblem says why a mail was not taken: what the server answered, or why it did not.
func mailProblem(err error) string {
	if refused, ok := errors.AsType[*gomail.SendError](err); ok {
		if refused.ErrorCode() == 0 {
			return "the connection to the mail server was lost while the email was being sent"
		}
		return answered(refused.ErrorCode(), answerTo(refused))
	}
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		return answered(said.Code, said.Msg)
	}
	if forbidden, ok := errors.AsType[*dial.ForbiddenError](err); ok {
		return forbidden.Error()
	}
	switch text := err.Error(); {
	case strings.Contains(text, "does not support STARTTLS"):
		return "the mail server does not support STARTTLS: correct SETT_SMTP_URL, for example with smtps:// for implicit TLS"
	case strings.Contains(text, "does not support SMTP AUTH"), errors.Is(err, gomail.ErrNoSupportedAuthDiscovered):
		return "the mail server supports none of the login methods of sett (AUTH with SCRAM-SHA-256, PLAIN or LOGIN): correct SETT_SMTP_URL"
	}
	return "the mail server cannot be reached: " + outward(err, "SMTP")
}

// answered returns the reply of the server, with a hint if only a change of the settings can help.
func answered(code int, said string) string {
	problem := fmt.Sprintf("the mail server returned %d %s", code, said)
	if slices.Contains(refusedLogins(), code) {
		problem += "; correct the user and password in SETT_SMTP_URL"
	}
	return problem
}

// answerTo is what the server said to a mail after its code, which go-mail has in quotes among words of its own.
func answerTo(e *gomail.SendError) string {
	_, text, _ := strings.Cut(e.Error(), strconv.Itoa(e.ErrorCode())+" ")
	quoted, _ := strconv.QuotedPrefix(text)
	said, _ := strconv.Unquote(quoted)
	return said
}
