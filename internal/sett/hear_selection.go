package sett

import "slices"

// selected reports whether the site or check-in that the alert is about is among those that the integration has; without
// any, it has all.
func (h Hearing) selected() bool {
	var chosen []string
	switch h.Alert.Event {
	case AlertDown, AlertUp, AlertCertWillExpire:
		chosen = h.Integration.SiteIDs
	case AlertCheckInMissing, AlertCheckInReporting:
		chosen = h.Integration.CheckInIDs
	}
	return len(chosen) == 0 || slices.Contains(chosen, h.Alert.Subject.ID())
}
