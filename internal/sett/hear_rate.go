package sett

// addressed reports whether the alert is for this integration, as far as that is said. A rate is exceeded for the
// integration that counts it alone: others have other thresholds.
func (h Hearing) addressed() bool {
	toOne := h.Alert.IntegrationID > 0 || h.Alert.Event == AlertRateExceeded || h.Alert.Direct()
	return !toOne || h.Alert.IntegrationID == h.Integration.ID
}
