package signin

import (
	"cmp"
	"strings"
	"time"

	"sett/internal/event/useragent"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

// Session is one browser in which a user is signed in.
type Session struct {
	ID         int64
	UserID     int64
	How        How
	Account    string // whose identity provider began it; "" for none
	Factor     bool   // it began with two factors at sett
	Asked      bool   // an account of the user requires single sign-on of some of its people
	CreatedAt  time.Time
	LastSeenAt time.Time // at most SightingGap late
	Address    string    // of the network, where it was seen last
	UserAgent  string    // as the browser says it, cut short
	Zone       string    // the time zone of the browser; "" if it is unknown. It is stored with the user
}

// How long a session lives, how long it lives without use, and how often its use is recorded.
const (
	SessionLife     = 90 * 24 * time.Hour
	SessionIdleLife = 30 * 24 * time.Hour
	SightingGap     = time.Minute
)

// Over reports whether the session has ended by its age or because it was not used.
func (s Session) Over(now time.Time) bool {
	return !now.Before(s.CreatedAt.Add(SessionLife)) || !now.Before(s.LastSeenAt.Add(SessionIdleLife))
}

// SignedOut is the answer to a request whose session has ended since it came.
func SignedOut() *sett.Error {
	return sett.Errorf(sett.Unauthenticated, "You were signed out meanwhile, and nothing was changed. Sign in again.")
}

// SightingDue reports whether it is time to note again that something last seen at last is in use.
func SightingDue(now, last time.Time) bool { return !now.Before(last.Add(SightingGap)) }

// longestUserAgent is how much of a browser's name is kept, in bytes.
const longestUserAgent = 400

// CutUserAgent returns what is kept of a browser's name.
func CutUserAgent(name string) string {
	if len(name) > longestUserAgent {
		name = name[:longestUserAgent]
	}
	return strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), "")
}

// DeviceOf says in a few words what a browser calls itself, such as "Firefox on Linux".
func DeviceOf(userAgent string) string {
	return cmp.Or(useragent.Parse(userAgent).Device(), "An unknown browser")
}

// FreshSignIn is how long after it a sign-in proves by itself that it is the user who asks for something.
const FreshSignIn = 10 * time.Minute

// Fresh reports whether the user of the session has signed in just now.
func (s Session) Fresh(now time.Time) bool { return now.Before(s.CreatedAt.Add(FreshSignIn)) }

// Notice returns the mail to its user that something has happened in the session.
func (s Session) Notice(to string, event alerts.SecurityEvent, name string) alerts.Mail {
	device := accounts.OperatorDevice
	if s.ID != accounts.Operator {
		device = DeviceOf(s.UserAgent)
	}
	return alerts.Mail{To: to, Kind: alerts.SecurityNoticeMail, Fields: map[string]string{
		"event": string(event), "name": name, "address": s.Address, "device": device,
	}}
}

// ByOperator stands for the session of a user in whose place the operator acts.
func ByOperator(userID int64) Session { return Session{ID: accounts.Operator, UserID: userID} }
