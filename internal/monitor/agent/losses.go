package agent

import (
	"log/slog"
	"time"
)

// losses logs when reports start to be at risk, and when that is over and how many were lost: not each time, as a disk may
// be full for long. It is for one goroutine.
type losses struct {
	log   *slog.Logger
	since time.Time // zero: none
	lost  int       // reports
}

// add says that it happened once more.
func (l *losses) add(message, hint string, lost int, err error) {
	if l.since.IsZero() {
		l.since = time.Now()
		l.log.Error(message, "error", err, "hint", hint)
	}
	l.lost += lost
}

// end says that it happens no more.
func (l *losses) end(message, hint string) {
	if !l.since.IsZero() {
		l.log.Warn(message, "lost", l.lost, "since", l.since, "hint", hint)
	}
	l.since, l.lost = time.Time{}, 0
}
