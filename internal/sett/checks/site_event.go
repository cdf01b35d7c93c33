package checks

import (
	"time"

	"sett/internal/sett"
)

// SiteEventKind says what happened to a site.
type SiteEventKind string

// What a check can bring about.
const (
	SiteWentDown   SiteEventKind = "down"
	SiteCameUp     SiteEventKind = "up"               // after an outage; the first check of a site is no event
	SiteLapsed     SiteEventKind = "lapsed"           // it was down, and is not checked any more
	SiteAsked      SiteEventKind = "asked"            // one location saw it fail, and the others are to look at once
	CertWillExpire SiteEventKind = "cert_will_expire" // once for each certificate and threshold
	SiteBecameSlow SiteEventKind = "slow"
	SiteBecameFast SiteEventKind = "fast"       // after it was slow
	SiteSlowEnded  SiteEventKind = "slow_ended" // it was slow, and nothing is known of that any more
)

// SiteEvent is what a check has brought about.
type SiteEvent struct {
	Kind      SiteEventKind
	SiteID    sett.UUID
	SiteName  string
	ProjectID int64
	At        time.Time // of an outage or a slow time: when it began or ended; else when it was noticed
	Days      int64     // of CertWillExpire: the threshold
	Gap       SiteGap   // of SiteWentDown: it was down before a gap too

	Took   time.Duration // of SiteBecameSlow and SiteBecameFast: the check that confirmed it; 0: it does not show it
	Known  bool          // of SiteBecameSlow: receivers were notified of it before nothing was known
	Ending SlowEnding    // of SiteSlowEnded
}

// CertThresholds returns how many days before a certificate's end people are warned.
func CertThresholds() []int64 { return []int64{30, 14, 7, 3, 1} }

// certTail is the part of a certificate's lifetime in which it should have a successor. Software that renews certificates does so
// when a third or half of the time is left.
const certTail = 5

// certThreshold returns the last threshold that a certificate has passed; 0 for none, and for one that has expired. Thresholds
// before the last fifth of its lifetime do not count, and the last one then comes later.
func certThreshold(c ProbeCertificate, now time.Time) (passed int64) {
	left, all := c.NotAfter.Sub(now), CertThresholds()
	if left <= 0 {
		return 0
	}
	for i, days := range all {
		at := time.Duration(days) * 24 * time.Hour
		if tail := c.lifetime() / certTail; at > tail && i == len(all)-1 {
			at = tail
		} else if at > tail {
			continue
		}
		if left <= at {
			passed = days
		}
	}
	return passed
}
