package alerts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// Acknowledgement says that a person looks at a problem. The problem goes on, and its end ends the acknowledgement: the next problem of the
// same thing is another one.
type Acknowledgement struct {
	ID        int64
	ProjectID int64
	Subject   AlertSubject
	Name      string       // of the thing then
	Began     time.Time    // when the problem began
	By        *sett.Person // nil: the user is gone
	Way       AcknowledgedBy
	At        time.Time
}

// AcknowledgedBy is the way in which a person acknowledged a problem.
type AcknowledgedBy string

// The ways. A link in a message of a channel leads to a page where one signs in; the link in a personal mail does not.
const (
	ByPage    AcknowledgedBy = "page"
	ByMail    AcknowledgedBy = "mail"
	ByMessage AcknowledgedBy = "message"
	ByAPI     AcknowledgedBy = "api"
	ByCommand AcknowledgedBy = "command"
)

// AcknowledgedByWays lists the ways.
func AcknowledgedByWays() []AcknowledgedBy {
	return []AcknowledgedBy{ByPage, ByMail, ByMessage, ByAPI, ByCommand}
}

// Problem is something that is wrong with a site, check-in or alarm, or an error that is not resolved, from when it began until it ends.
type Problem struct {
	Subject         AlertSubject
	Name            string
	Began           time.Time
	Acknowledgement *Acknowledgement // nil: no person looks at it yet
}

// Of reports whether the acknowledgement is of a problem of its subject that began at a time, and not of an earlier one.
func (a Acknowledgement) Of(began time.Time) bool { return a.Began.Equal(began) }

// Who is the name of the person.
func (a Acknowledgement) Who() string {
	if a.By == nil {
		return "A former user"
	}
	return a.By.Called()
}

// Of reports whether an alert was about this problem, and not about an earlier one of the same thing.
func (p Problem) Of(a Alert) bool { return a.Subject == p.Subject && !p.Began.After(a.CreatedAt) }

// The kinds of things that have problems which can be acknowledged, as the API names them.
const (
	SiteKind    = "site"
	CheckInKind = "check_in"
	AlarmKind   = "alarm"
	FaultKind   = "fault"
)

// AcknowledgedKinds lists these kinds.
func AcknowledgedKinds() []string { return []string{SiteKind, CheckInKind, AlarmKind, FaultKind} }

// SubjectOf returns the subject of alerts about a thing; ok is false for what is none.
func SubjectOf(kind, id string) (subject AlertSubject, ok bool) {
	switch kind {
	case SiteKind:
		uuid, err := sett.ParseUUID(id)
		return SiteSubject(uuid), err == nil
	case FaultKind:
		number, err := strconv.ParseInt(id, 10, 64)
		return FaultSubject(number), err == nil && number > 0
	case CheckInKind:
		return CheckInSubject(id), id != "" && len(id) <= mostThingID
	case AlarmKind:
		return AlarmSubject(id), id != "" && len(id) <= mostThingID
	}
	return "", false
}

// mostThingID bounds ids from outside.
const mostThingID = 100

// Kind is the kind of thing of a subject, such as "site".
func (s AlertSubject) Kind() string {
	kind, _, _ := strings.Cut(string(s), " ")
	return kind
}

// Acknowledged reports whether alerts about the event are about a problem that can be acknowledged.
func (e AlertEvent) Acknowledged() bool {
	switch e {
	case AlertOccurred, AlertRateExceeded, AlertVolumeSpike, AlertDown, AlertCheckInMissing, AlertCheckInFailed, AlertAlarm:
		return true
	}
	return false
}

// AcknowledgeToken returns the secret of the link in a mail to a user that acknowledges what an alert is about. The key is that of the links
// in their mails about the project.
func AcknowledgeToken(userID, projectID, alertID int64, key []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "acknowledge %d %d %d", userID, projectID, alertID)
	return fmt.Sprintf("%d.%s", userID, base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16]))
}

// UserOfAcknowledge returns for whom a token says that it is; ok is false for what is none.
func UserOfAcknowledge(token string) (userID int64, ok bool) {
	number, mac, found := strings.Cut(token, ".")
	userID, err := strconv.ParseInt(number, 10, 64)
	return userID, found && mac != "" && err == nil
}

// CheckAcknowledgeToken reports whether a token is that of the key, in constant time.
func CheckAcknowledgeToken(token string, userID, projectID, alertID int64, key []byte) bool {
	return hmac.Equal([]byte(token), []byte(AcknowledgeToken(userID, projectID, alertID, key)))
}
