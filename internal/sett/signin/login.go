// Package signin holds the rules of signing in: passwords, passkeys, second factors, sessions, personal tokens, and the limits on attempts.
// From what a user presents and the current time it derives decisions, waiting times and errors. It computes no hashes, stores nothing and
// sends nothing.
package signin

import (
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/base/phrase"
	"sett/internal/sett"
)

// How is the method by which a user signed in.
type How string

// The means of signing in. Who adds one decides in SecondFactorNeeded whether it is enough by itself.
const (
	ByPassword   How = "password"
	ByInvitation How = "invitation"     // a new user, who has just chosen a password
	ByPasskey    How = "passkey"        // an authenticator that has checked who holds it: both factors in one
	ByOIDC       How = "single sign-on" // an issuer that the operator trusts, and that asks for what it finds necessary
	BySAML       How = "SAML"           // the identity provider of an account, which has done the same
	ByProxy      How = "proxy"          // a proxy that the operator trusts, which has done the same
)

// Way is how a user has signed in.
type Way struct {
	How     How
	Account string // whose identity provider has signed them in; "" for none
	Factor  bool   // both factors were proven at sett
}

// SecondFactorNeeded reports whether a user who signed in by this method must also enter a second factor. This is
// the one place that decides it.
func (h How) SecondFactorNeeded(hasFactor bool) bool { return hasFactor && h == ByPassword }

// How long a half sign-in and a link of a password mail are good for.
const (
	LoginStepLife     = 10 * time.Minute
	PasswordResetLife = time.Hour
)

// WrongPassword is the answer to a sign-in with an address and a password that do not belong together; also when
// that has become so since the password was looked up.
func WrongPassword() *sett.Error {
	return sett.Errorf(sett.Invalid, "The email address or the password is wrong. Try again, or ask for a new password.")
}

// MeansGone is the answer to a sign-in with a passkey or an identity that was removed meanwhile.
func MeansGone() *sett.Error {
	return sett.Errorf(sett.Invalid, "The passkey or identity that you signed in with no longer belongs to your user. Sign in another way.")
}

// The bounds of a password, in characters. They follow NIST SP 800-63B, section 3.1.1: length counts, composition does
// not; the upper bound keeps hashing cheap.
const (
	shortestPassword = 10
	longestPassword  = 128
)

// CheckNewPassword notes what keeps a text from being the password of a user with this address and name.
func CheckNewPassword(p *sett.Problems, field, password, email, name string) {
	local, _, _ := strings.Cut(email, "@")
	switch length := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		p.Add(field, "must be UTF-8")
	case length < shortestPassword:
		p.Add(field, "is too short (minimum is %d characters); four random words work well", shortestPassword)
	case length > longestPassword:
		p.Add(field, "is too long (maximum is %d characters)", longestPassword)
	case isOne(password, email, local, name):
		p.Add(field, "must not be your address or your name, which others would try first")
	}
}

func isOne(password string, known ...string) bool {
	for _, k := range known {
		if strings.EqualFold(strings.TrimSpace(password), strings.TrimSpace(k)) {
			return true
		}
	}
	return false
}

// Failures are the failed sign-ins under one key – an account from one network, an account from all that are strange to it, a
// network – that still count. A try counts as failed until it is known to have succeeded, so that tries at the same time gain nothing.
type Failures struct {
	Count int64
	Until time.Time // no try is taken before; at least the time of the last one
}

// How many failures cost nothing, how long the wait after the next ones is at first and at most, and how long after the
// wait they are forgotten.
const (
	FreePerAccount   = 5  // from one network
	FreePerNetwork   = 50 // a company's network has many people
	FreeForStrangers = 50 // on one account, from all networks together that its user has not signed in from lately
	firstWait        = time.Second
	longestWait      = 15 * time.Minute
	FailureMemory    = 15 * time.Minute
	KnownNetwork     = 90 * 24 * time.Hour // how long a network is known that a user has signed in from
)

// Try decides on a try at now, of which the first so many failures are free. It returns how long to wait first, and
// then nothing has changed; or 0, and the failures with this try among them.
func (f Failures) Try(now time.Time, free int64) (Failures, time.Duration) {
	if wait := f.Until.Sub(now); wait > 0 {
		return f, wait
	}
	if !now.Before(f.Until.Add(FailureMemory)) {
		f = Failures{}
	}
	f.Count++
	f.Until = now.Add(waitAfter(f.Count - free))
	return f, 0
}

// waitAfter is how long to wait after so many failures that were not free: 1 s after the first, then 2 s, 4 s, and so on.
func waitAfter(failures int64) time.Duration {
	if failures < 0 {
		return 0
	}
	wait := firstWait
	for ; failures > 0 && wait < longestWait; failures-- {
		wait *= 2
	}
	return min(wait, longestWait)
}

// Begun are the sign-ins with a passkey or an issuer that a network has begun in a stretch of time. They are no failures
// and use up no attempt, but each leaves a row behind until it is answered or too old.
type Begun struct {
	Count int64
	Until time.Time // the end of the stretch
}

// How many of them a network may begin, and in which time. A company's network has many people.
const (
	MostBegun    = 100
	BegunStretch = 5 * time.Minute
)

// Begin decides on one more at now. It returns how long to wait first, and then nothing has changed; or 0, and what was
// begun with this one.
func (b Begun) Begin(now time.Time) (Begun, time.Duration) {
	if !now.Before(b.Until) {
		b = Begun{Until: now.Add(BegunStretch)}
	}
	if b.Count >= MostBegun {
		return b, b.Until.Sub(now)
	}
	b.Count++
	return b, 0
}

// TooManyTries is the answer to a try that has to wait.
func TooManyTries(wait time.Duration) *sett.Error {
	e := sett.Errorf(sett.TooMany, "There were too many attempts to sign in. Wait %s, then try again.", inWords(wait))
	e.RetryAfter = wait
	return e
}

// inWords says how long d is, rounded up: who comes back too early is refused again.
func inWords(d time.Duration) string {
	unit, name := time.Second, "second"
	if d > time.Minute {
		unit, name = time.Minute, "minute"
	}
	return phrase.Count(int64((d+unit-1)/unit), name)
}

// MailsTo are the mails of one kind that others have had sent to an address in a stretch of time.
type MailsTo struct {
	Count int64
	Until time.Time // the end of the stretch
}

// How many they may be, and in which time.
const (
	MostMailsTo = 5
	MailStretch = time.Hour
)

// Send decides on one more at now. It returns how long to wait first, and then nothing has changed; or 0, and the mails with
// this one.
func (m MailsTo) Send(now time.Time) (MailsTo, time.Duration) {
	if !now.Before(m.Until) {
		m = MailsTo{Until: now.Add(MailStretch)}
	}
	if m.Count >= MostMailsTo {
		return m, m.Until.Sub(now)
	}
	m.Count++
	return m, 0
}

// TooManyInvitations is the answer to one who invites an address that has got too many mails.
func TooManyInvitations(wait time.Duration) *sett.Error {
	e := sett.Errorf(sett.TooMany, "This address was sent %d invitations within an hour. Wait %s, then try again.", MostMailsTo, inWords(wait))
	e.RetryAfter = wait
	return e
}

// Purpose is what a browser, or a program, was asked for and has yet to answer.
type Purpose string

// The purposes of challenges.
const (
	AddPasskey      Purpose = "add_passkey"
	UsePasskey      Purpose = "use_passkey"
	SignInByOIDC    Purpose = "oidc"
	ConnectIdentity Purpose = "oidc_link" // a user is to say that an identity is theirs
	SignInBySAML    Purpose = "saml"
	UsedAssertion   Purpose = "saml_used" // it was believed once, and is not again
	ConnectProgram  Purpose = "oauth"     // a program is to fetch the token that a user has allowed
	SignInProgram   Purpose = "device"    // a program waits until a user types its code
	TypedCode       Purpose = "user_code" // of such a program
)

// Life returns how long there is to answer: less for a passkey than for what people do on pages of others.
func (p Purpose) Life() time.Duration {
	switch p {
	case SignInByOIDC, SignInBySAML, ConnectIdentity, SignInProgram, TypedCode:
		return 10 * time.Minute
	default:
		return 5 * time.Minute
	}
}
