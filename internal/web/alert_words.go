package web

import "sett/internal/sett/alerts"

// EventLabel returns the label of an event in forms and lists.
func EventLabel(e alerts.AlertEvent) string {
	if label, ok := eventLabels[e]; ok {
		return label
	}
	return string(e)
}

var eventLabels = map[alerts.AlertEvent]string{
	alerts.AlertOccurred:         "New or reopened error",
	alerts.AlertRateExceeded:     "Error rate above a threshold",
	alerts.AlertVolumeSpike:      "Error spike",
	alerts.AlertResolved:         "Error resolved",
	alerts.AlertUnresolved:       "Error marked unresolved",
	alerts.AlertAssigned:         "Error assigned",
	alerts.AlertCommented:        "Comment on an error",
	alerts.AlertDeployed:         "Deploy recorded",
	alerts.AlertDown:             "Site down",
	alerts.AlertUp:               "Site up again",
	alerts.AlertSlow:             "Site slow",
	alerts.AlertFast:             "Site fast again",
	alerts.AlertCertWillExpire:   "Certificate expires soon",
	alerts.AlertCheckInMissing:   "Check-in missed",
	alerts.AlertCheckInFailed:    "Check-in failed",
	alerts.AlertAlarm:            "Alarm raised",
	alerts.AlertAlarmOK:          "Alarm OK again",
	alerts.AlertCheckInReporting: "Check-in reports again",
}
