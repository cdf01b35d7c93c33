package sett

// Alert returns the alert for an event of the site, and whether there is one: receivers are not notified again of a site that is down as it was
// before it could not be checked. The site is in its state after the event; o is
// the outage that began or ended with it.
func (s Site) Alert(e SiteEvent, o Outage) (a Alert, ok bool) {
	event, ok := map[SiteEventKind]AlertEvent{SiteWentDown: AlertDown, SiteCameUp: AlertUp, CertWillExpire: AlertCertWillExpire}[e.Kind]
	if !ok || e.Gap == GapUnchecked {
		return a, false
	}
	return Alert{
		ProjectID: s.ProjectID, Event: event, Subject: SiteSubject(s.ID), At: e.At, Facts: AlertFacts{Site: &SiteFacts{
			ID: s.ID.String(), Name: s.Name, URL: ShownAddress(s.URL), State: s.State, LastCheckedAt: s.LastCheckedAt, CertWillExpireAt: s.CertWillExpireAt, CertAuthority: s.CertAuthority,
			DownAt: o.DownAt, UpAt: o.UpAt, Status: o.Status, Reason: o.Reason, Headers: o.Headers, Days: e.Days, Again: e.Gap != NoGap,
		}},
	}, true
}
