package sett

// Recurs reports whether the event is that a fault occurred: what pausing or ignoring the fault silences. What people do
// to a silent fault is told.
func (e AlertEvent) Recurs() bool {
	return e == AlertOccurred || e == AlertRateExceeded || e == AlertVolumeSpike
}

// silent reports whether the alert is an occurrence of a fault that was paused then, or is ignored. The counts of a fault
// may be behind the alert, which counts its own notice too.
func (h Hearing) silent() bool {
	before := max(h.FaultNotices, h.Alert.Facts.NoticesCount-1)
	return h.Alert.Event.Recurs() && (h.Fault.Ignored || h.Fault.Paused(h.Alert.At, before))
}
