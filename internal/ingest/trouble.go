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
	logged  time.Time
}

// again is the interval between log lines of a repeating failure.
const again = time.Minute

// note takes in how something went.
func (t *trouble) note(log *slog.Logger, now time.Time, err error) {
	switch {
	case err != nil:
		t.failed++
		if t.logged.IsZero() || now.Sub(t.logged) >= again {
			log.Error(t.message, "failures", t.failed, "error", err, "hint", "check the database and the disk with: sett doctor")
			t.failed, t.logged = 0, now
		}
	case !t.logged.IsZero():
		log.Info("this works again", "about", t.message, "failures", t.failed)
		t.failed, t.logged = 0, time.Time{}
	}
}
