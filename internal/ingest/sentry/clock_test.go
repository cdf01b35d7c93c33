package sentry_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/sentry"
)

// The clock of a client is corrected for the event and for what happened before it, if the client says how late it is there, or if it is ahead.
func TestClockOfAClient(t *testing.T) {
	t.Parallel()
	received := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	const layout = "15:04:05"
	for name, c := range map[string]struct {
		event, crumb, sent time.Duration // from when the event is received
		want               []string
	}{
		"right":                {-time.Second, -5 * time.Second, -time.Second, []string{"08:59:59", "08:59:55"}},
		"two hours ahead":      {2*time.Hour - 3*time.Second, 2*time.Hour - 5*time.Second, 2 * time.Hour, []string{"08:59:57", "08:59:55"}},
		"two hours behind":     {-2*time.Hour - 3*time.Second, -2*time.Hour - 5*time.Second, -2 * time.Hour, []string{"08:59:57", "08:59:55"}},
		"right, and days late": {-50 * time.Hour, -50*time.Hour - 5*time.Second, 0, []string{"07:00:00", "06:59:55"}},
		"ahead, and not said":  {2 * time.Hour, 2*time.Hour - 5*time.Second, -1, []string{"09:00:00", "08:59:55"}},
		"a crumb that is last": {2*time.Hour - 3*time.Second, 2*time.Hour + 5*time.Second, 2 * time.Hour, []string{"08:59:57", "09:00:00"}},
	} {
		text := func(d time.Duration) string { return received.Add(d).Format(time.RFC3339) }
		r := sentry.Request{ReceivedAt: received, SentAt: received.Add(c.sent)}
		if c.sent == -1 {
			r.SentAt = time.Time{}
		}
		e, err := readEvent(new(sentry.Reader), fmt.Appendf(nil, `{"timestamp":%q,"breadcrumbs":[{"timestamp":%q,"message":"a"}]}`, text(c.event), text(c.crumb)), r)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, text := range []string{e.Notice.Time, e.Notice.Breadcrumbs[0].Time} {
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, at.Format(layout))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
