// Package checks has the nouns and rules of what is checked from time to time: sites, their checks, verdicts and outages; check-ins, their
// schedules and pings; agents. It takes rows, results and the current time, and returns states, events and alerts. It is pure: it asks no site
// and stores nothing. It knows no errors.
package checks

import (
	"reflect"
	"slices"
	"time"

	"sett/internal/sett"
)

// Site is an address that is checked again and again.
type Site struct {
	ID        sett.UUID
	ProjectID int64
	SiteSettings
	State            sett.SiteState
	ChangedAt        time.Time // when the state last changed; zero: never
	LastCheckedAt    time.Time // zero: never
	CertWillExpireAt time.Time // of the certificate that was seen last; zero: none
	SlowSince        time.Time // when it became slow; zero: it is not, or nothing is known
	CertAuthority    string    // the name of that certificate when it is an authority's; "" when it is the site's own
	AskedAt          time.Time // when all locations were last asked to check immediately; zero: never
	AskedBy          Location  // the location whose failed check caused that, and which need not check again; "": none
	Revision         int64     // of its newest change or ask; they grow over all sites
	TargetRevision   int64     // of the newest change of what a check does; checks from before are about another target
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// SiteSettings are the fields of a site that people write.
type SiteSettings struct {
	Name            string
	ProbeRequest                  // what a check does
	Frequency       int64         // minutes between checks: 1, 5 or 15
	Locations       []Location    // that it is checked from; none stands for all
	OutageThreshold int64         // failed checks in a row that make an outage; 0: half of the locations decide
	SlowAfter       time.Duration // a response that takes longer is slow; 0: none is
	SlowChecks      int64         // checks in a row from one location that show that it is slow, or fast again
	Active          bool          // false: it is not checked, and keeps its state
}

// NewSiteSettings returns what a site has when nothing is said.
func NewSiteSettings() SiteSettings {
	return SiteSettings{
		ProbeRequest: ProbeRequest{MatchType: MatchSuccess, Method: "GET", ValidateSSL: true, Timeout: ProbeTimeout},
		Frequency:    5, SlowChecks: 3, Active: true,
	}
}

// Interval is the time between two checks from one location.
func (s SiteSettings) Interval() time.Duration { return time.Duration(s.Frequency) * time.Minute }

// Selects reports whether the site is checked from a location.
func (s SiteSettings) Selects(l Location) bool {
	return len(s.Locations) == 0 || slices.Contains(s.Locations, l)
}

// CheckedAt reports whether a location has anything to do for the site.
func (s SiteSettings) CheckedAt(l Location) bool { return s.Active && s.Selects(l) }

// Retargets reports whether what was found out under the settings old says nothing under s: a check does something else,
// or there were none meanwhile.
func (s SiteSettings) Retargets(old SiteSettings) bool {
	return s.Active != old.Active || !reflect.DeepEqual(s.ProbeRequest, old.ProbeRequest)
}

// Equal reports whether two settings are the same.
func (s SiteSettings) Equal(o SiteSettings) bool {
	same := slices.Equal(s.Headers, o.Headers) && slices.Equal(s.Locations, o.Locations)
	s.Headers, o.Headers, s.Locations, o.Locations = nil, nil, nil, nil
	return same && reflect.DeepEqual(s, o)
}
