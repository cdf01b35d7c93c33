package prober

import (
	"hash/fnv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// Target is a site as it is checked from one location.
type Target struct {
	ID        sett.UUID           `json:"id"`
	Revision  int64               `json:"revision"`     // of its settings; goes with every report
	Frequency time.Duration       `json:"frequency_ns"` // from one check to the next
	AskedAt   time.Time           `json:"asked_at"`     // when a check was last requested out of turn; zero: never
	CheckedAt time.Time           `json:"checked_at"`   // the last check from here that is known; zero: none
	Request   checks.ProbeRequest `json:"request"`
}

// Changes are what happened to targets since a revision of all of them.
type Changes struct {
	Revision int64       `json:"revision"` // that they lead to
	All      bool        `json:"all"`      // Targets is everything there is, instead of what changed
	Targets  []Target    `json:"targets"`
	Gone     []sett.UUID `json:"gone"` // that are not to be checked from here any more
}

// Report is what one check found.
type Report struct {
	SiteID   sett.UUID          `json:"site_id"`
	Revision int64              `json:"revision"`
	Result   checks.ProbeResult `json:"result"`
}

// phase is the offset, from full multiples of its frequency since 1970, at which a site is due at a location. It depends
// on nothing else, so a restart keeps it, and sites are spread by construction.
func phase(id sett.UUID, location string, frequency time.Duration) time.Duration {
	h := fnv.New64a()
	h.Write(id[:])
	h.Write([]byte(location))
	return time.Duration(h.Sum64() % uint64(frequency))
}

// slotAfter returns the first time after t at which a site is due. It keeps the monotonic clock of t: when the other is
// set back, slots come as they would have come.
func slotAfter(t time.Time, phase, frequency time.Duration) time.Time {
	since := time.Duration(t.UnixNano()) - phase
	return t.Add((since/frequency+1)*frequency - since)
}
