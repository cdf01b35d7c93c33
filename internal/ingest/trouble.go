package ingest

import (
	"log/slog"
	"time"
)

// trouble limits log lines while the same failure repeats, as on a full disk: the first failure is a line, then one a minute
// with the number of failures, and a line when it works again. It is for one goroutine.
type trouble struct {
	message string
	failed  int64 // since the last line
	told    time.Time
}

// again is the interval between log lines of a repeating failure.
const again = time.Minute

// note takes in how something went.
func (t *trouble) note(log *slog.Logger, now time.Time, err error) {
	switch {
	case err != nil:
		t.failed++
		if t.told.IsZero() || now.Sub(t.told) >= again {
			log.Error(t.message, "times", t.failed, "error", err)
			t.failed, t.told = 0, now
		}
	case !t.told.IsZero():
		log.Info("this works again", "trouble", t.message, "times", t.failed)
		t.failed, t.told = 0, time.Time{}
	}
}
