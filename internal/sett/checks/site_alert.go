package checks

import "sett/internal/sett/alerts"

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
			DownAt: o.DownAt, UpAt: o.UpAt, Status: o.Status, Reason: o.Reason, Headers: o.Headers, Days: e.Days, Again: e.Gap != NoGap,
		}},
	}, true
}
