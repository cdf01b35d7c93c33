package notify

import (
	"testing"
	"time"
)

func TestTimeSpans(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration][2]string{
		-time.Second:                      {"0s", "0 seconds"},
		900 * time.Millisecond:            {"0s", "0 seconds"},
		time.Second:                       {"1s", "1 second"},
		83*time.Second + time.Millisecond: {"1m 23s", "1 minute"},
		time.Hour:                         {"1h", "1 hour"},
		2*time.Hour + 5*time.Second:       {"2h 5s", "2 hours"},
		49*time.Hour + 61*time.Second:     {"2d 1h 1m 1s", "2 days"},
		24*time.Hour - time.Nanosecond:    {"23h 59m 59s", "23 hours"},
		365 * 24 * time.Hour:              {"365d", "365 days"},
	} {
		if got := [2]string{clockSpan(d), roughSpan(d)}; got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
