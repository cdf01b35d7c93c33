package faults

import (
	"testing"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
)

// A notice happened when its client says, if it came late, and when it was accepted otherwise.
func TestOccurredAt(t *testing.T) {
	t.Parallel()
	arrived := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	n := NewNotice(sett.NoticeID(arrived.UnixMicro()*2048), sett.UUID{}, payload.Body{JSON: []byte("{}")}, "")
	for said, want := range map[string]time.Duration{
		"2026-11-24T09:00:00Z": 72 * time.Hour, "2026-11-24 10:00:00 +0100": 72 * time.Hour, "2026-11-27T08:59:00Z": time.Minute, "2026-11-27T08:59:01Z": 0,
		"2026-11-27T11:00:00Z": 0, "2001-01-01T00:00:00Z": 0, "": 0, "yesterday": 0,
	} {
		n.Environment.Time = said
		at, late := n.OccurredAt()
		if got := arrived.Sub(at).Round(time.Second); got != want || late != !at.Equal(n.CreatedAt()) {
			t.Errorf("%q: %v before it arrived, late %v, want %v", said, got, late, want)
		}
	}
}
