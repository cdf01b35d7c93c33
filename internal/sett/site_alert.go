package sett

// Alert returns what is raised by an event of the site, as it is after that, and whether anything is. o is the outage that
// began or ended with it.
func (s Site) Alert(e SiteEvent, o Outage) (a Alert, told bool) {
	event, told := map[SiteEventKind]AlertEvent{SiteWentDown: AlertDown, SiteCameUp: AlertUp, CertWillExpire: AlertCertWillExpire}[e.Kind]
	if !told {
		return a, false
	}
	return Alert{
		ProjectID: s.ProjectID, Event: event, Subject: SiteSubject(s.ID), At: e.At, Facts: AlertFacts{Site: &SiteFacts{
			ID: s.ID.String(), Name: s.Name, URL: ShownAddress(s.URL), State: s.State, LastCheckedAt: s.LastCheckedAt, CertWillExpireAt: s.CertWillExpireAt,
			DownAt: o.DownAt, UpAt: o.UpAt, Status: o.Status, Reason: o.Reason, Headers: o.Headers, Days: e.Days,
		}},
	}, true
}
