package checks

import (
	"time"

	"sett/internal/sett/alerts"
)

// Alert returns the alert for an event of the site, and whether there is one: receivers are not notified again of a site that is down as it was
// before it could not be checked. The site is in its state after the event; o is
// the outage that began or ended with it.
func (s Site) Alert(e SiteEvent, o Outage) (a alerts.Alert, ok bool) {
	event, ok := map[SiteEventKind]alerts.AlertEvent{SiteWentDown: alerts.AlertDown, SiteCameUp: alerts.AlertUp, CertWillExpire: alerts.AlertCertWillExpire}[e.Kind]
	if !ok || e.Gap == GapUnchecked {
		return a, false
	}
	return alerts.Alert{
		ProjectID: s.ProjectID, Event: event, Subject: alerts.SiteSubject(s.ID), At: e.At, Facts: alerts.AlertFacts{Site: &alerts.SiteFacts{
			ID: s.ID.String(), Name: s.Name, URL: ShownAddress(s.URL), State: s.State, LastCheckedAt: s.LastCheckedAt, CertWillExpireAt: s.CertWillExpireAt, CertAuthority: s.CertAuthority,
			DownAt: o.DownAt, UpAt: o.UpAt, ConfirmedAt: o.CreatedAt.Truncate(time.Microsecond), Location: string(o.Location), Status: o.Status, Reason: o.Reason, Headers: o.Headers, Days: e.Days, Again: e.Gap != NoGap,
		}},
	}, true
}

// PaceAlert returns the alert for an event of the site's pace, and whether there is one: receivers are not notified again of a site that is slow
// as it was before nothing was known. spell is the time that ended with the event. Its subject is not that of outages: a site may go down and
// come up while receivers wait for the word that it is fast again.
func (s Site) PaceAlert(e SiteEvent, spell SlowSpell) (a alerts.Alert, ok bool) {
	event, ok := map[SiteEventKind]alerts.AlertEvent{SiteBecameSlow: alerts.AlertSlow, SiteBecameFast: alerts.AlertFast}[e.Kind]
	if !ok || e.Known {
		return a, false
	}
	slow := alerts.SlowFacts{SlowAt: spell.SlowAt, FastAt: spell.FastAt, Limit: s.SlowAfter.Milliseconds(), Took: e.Took.Milliseconds(), Checks: s.SlowChecks}
	if e.Kind == SiteBecameSlow {
		slow.SlowAt = e.At
	}
	return alerts.Alert{
		ProjectID: s.ProjectID, Event: event, Subject: alerts.SlowSubject(s.ID), At: e.At, Facts: alerts.AlertFacts{Site: &alerts.SiteFacts{
			ID: s.ID.String(), Name: s.Name, URL: ShownAddress(s.URL), State: s.State, LastCheckedAt: s.LastCheckedAt, CertWillExpireAt: s.CertWillExpireAt, Slow: &slow,
		}},
	}, true
}
