package notify

import (
	"testing"
	"time"

	"sett/internal/sett"
)

// An attempt may repeat an earlier one if it is not the first, if the delivery is older than the dispatcher, or if it waited long.
func TestAgain(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	now := began
	c := NewDispatcher(DispatcherOptions{Now: func() time.Time { return now }})
	for name, d := range map[string]struct {
		tries     int
		made, now time.Duration // since the dispatcher began
		want      bool
	}{
		"the first try":              {1, time.Hour, time.Hour + time.Second, false},
		"the second try":             {2, time.Hour, time.Hour + time.Second, true},
		"made before the dispatcher": {1, -time.Second, time.Second, true},
		"made long ago, sent again":  {1, time.Hour, 2 * time.Hour, true},
	} {
		now = began.Add(d.now)
		if got := c.again(sett.Delivery{Tries: d.tries, CreatedAt: began.Add(d.made)}); got != d.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
