package alerts

import (
	"encoding/json"
	"strconv"
	"time"

	"sett/internal/sett"
)

// DigestInterval is how often a user gets a personal digest of a project.
type DigestInterval string

// The intervals.
const (
	DigestOff    DigestInterval = "off"
	DigestDaily  DigestInterval = "daily"
	DigestWeekly DigestInterval = "weekly"
)

// DigestIntervals lists the intervals.
func DigestIntervals() []DigestInterval {
	return []DigestInterval{DigestOff, DigestDaily, DigestWeekly}
}

const (
	digestHour    = 8                  // o'clock, where the user is
	longestDigest = 7 * 24 * time.Hour // that one digest covers
)

// End returns when the newest interval that is over at now has ended: at 8:00 of every day, or of every Monday, in the time zone of now. Notices are counted by the
// hour of UTC: where its hours begin at half past, an interval ends at 8:30.
func (i DigestInterval) End(now time.Time) time.Time {
	end := digestEnd(now, 0)
	for back := 1; end.After(now) || i == DigestWeekly && end.In(now.Location()).Weekday() != time.Monday; back++ {
		end = digestEnd(now, back)
	}
	return end.UTC()
}

// digestEnd returns the end of the interval of a day, some days back.
func digestEnd(now time.Time, back int) time.Time {
	year, month, day := now.Date()
	return time.Date(year, month, day-back, digestHour, 0, 0, 0, now.Location()).Add(time.Hour - 1).Truncate(time.Hour)
}

// Least is how long an interval is at least: an hour less where clocks go forward.
func (i DigestInterval) Least() time.Duration {
	if i == DigestWeekly {
		return 7*24*time.Hour - time.Hour
	}
	return 23 * time.Hour
}

// Due returns the end of the interval that is over at now, and whether its digest is to be written after one that ended at last. A user who has moved to another
// time zone gets no digest for the hours in between, but a longer one.
func (i DigestInterval) Due(last, now time.Time) (end time.Time, due bool) {
	end = i.End(now)
	return end, end.Sub(last) >= i.Least()
}

// DueDigest is a personal digest that is to be written now.
type DueDigest struct {
	User      sett.Person
	ProjectID int64
	Project   string // its name
	Interval  DigestInterval
	LastEnd   time.Time // the end of the last digest
	To        time.Time
}

// From returns the start of the time that the digest covers: the end of the last digest, at most a week ago.
func (d DueDigest) From() time.Time {
	if from := d.To.Add(-longestDigest); d.LastEnd.Before(from) {
		return from
	}
	return d.LastEnd
}

// Mail returns the mail with the digest; token is of the link that ends such mails.
func (d DueDigest) Mail(digest PersonalDigest, token string) (Mail, error) {
	text, err := json.Marshal(digest)
	return Mail{To: d.User.Email, Kind: PersonalDigestMail, Fields: map[string]string{
		"project": d.Project, "project_id": strconv.FormatInt(d.ProjectID, 10), "interval": string(d.Interval), "digest": string(text), "token": token,
	}}, err
}

// DigestLines is how many rows each part of a personal digest has at most; how many there were is counted.
const DigestLines = 5

// PersonalDigest sums up what happened in a project in a time. What is in muted environments, and faults that are ignored,
// are left out.
type PersonalDigest struct {
	From     time.Time                `json:"from"`
	To       time.Time                `json:"to"`
	New      DigestPart[DigestFault]  `json:"new"`      // faults that were made, those with the most notices first
	Frequent DigestPart[DigestFault]  `json:"frequent"` // faults by their notices in that time
	Resolved DigestPart[DigestFault]  `json:"resolved"` // and not open again, the newest first
	Outages  DigestPart[DigestOutage] `json:"outages"`  // any part of which was in that time, the newest first
	Missed   DigestPart[DigestMiss]   `json:"missed"`   // check-ins that missed or failed, those that did so most often first
	Deploys  DigestPart[DigestDeploy] `json:"deploys"`  // the newest first
}

// DigestPart is a part of a personal digest.
type DigestPart[T any] struct {
	Count int64 `json:"count"`
	Rows  []T   `json:"rows"` // the first of them
}

// Empty reports whether there is nothing to tell.
func (d PersonalDigest) Empty() bool {
	return d.New.Count+d.Frequent.Count+d.Resolved.Count+d.Outages.Count+d.Missed.Count+d.Deploys.Count == 0
}

// DigestFault is a fault in a personal digest.
type DigestFault struct {
	ID          int64  `json:"id"`
	Class       string `json:"class"`
	Message     string `json:"message"`
	Environment string `json:"environment"`
	Notices     int64  `json:"notices"` // in that time; of the resolved: 0
}

// DigestOutage is an outage in a personal digest.
type DigestOutage struct {
	SiteID string    `json:"site_id"`
	Site   string    `json:"site"` // its name
	DownAt time.Time `json:"down_at"`
	UpAt   time.Time `json:"up_at"` // zero: it lasts
	Reason string    `json:"reason"`
}

// DigestMiss is a check-in in a personal digest.
type DigestMiss struct {
	CheckInID string `json:"check_in_id"`
	CheckIn   string `json:"check_in"` // its name or slug; "" for none
	Count     int64  `json:"count"`    // misses
	Failed    int64  `json:"failed"`   // reports of a failure
}

// DigestDeploy is a deploy in a personal digest.
type DigestDeploy struct {
	Environment string    `json:"environment"`
	Revision    string    `json:"revision"`
	By          string    `json:"by"`
	At          time.Time `json:"at"`
}
