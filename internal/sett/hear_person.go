package sett

// HearPersonally says whether a user who can see the project is told of the alert by their personal alerts, or why not.
// The hearing has no integration. Nobody is told of what they did themselves.
func (h Hearing) HearPersonally(userID int64, p PersonalAlerts) Unheard {
	switch {
	case h.Alert.IntegrationID > 0 || h.Alert.Direct():
		return ForAnother
	case h.Alert.Facts.Actor != nil && h.Alert.Facts.Actor.ID == userID:
		return OwnDoing
	case !h.ProjectActive:
		return NotActive
	case !p.wants(userID, h.Alert):
		return NotWanted
	case !h.audible():
		return EnvironmentMute
	case h.silent():
		return FaultSilent
	}
	return Heard
}
