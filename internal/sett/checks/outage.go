package checks

import (
	"time"

	"sett/internal/sett"
)

// Outage is a time in which a site was down.
type Outage struct {
	ID        int64
	SiteID    sett.UUID
	DownAt    time.Time // when the first of the failed checks began that confirmed it
	UpAt      time.Time // zero: it lasts
	CreatedAt time.Time // when it was confirmed

	// What the check has shown that confirmed it.
	Status   int // of HTTP; 0 when there was no response
	Reason   string
	Headers  map[string]string // of the response, names in lower case; nil when there was none
	Location Location
	Phase    ProbePhase // in which the time ran out; "" when it did not
	Body     []byte     // the beginning of the page
}

// NewOutage returns the outage that a check has confirmed.
func NewOutage(now, downAt time.Time, r CheckReport) Outage {
	return Outage{
		SiteID: r.SiteID, DownAt: downAt, CreatedAt: now, Status: r.Result.Status, Reason: r.Result.Reason,
		Headers: r.Result.Headers, Location: r.Location, Phase: r.Result.Phase, Body: r.Result.Body,
	}
}
