package alerts

import (
	"crypto/rand"
	"testing"
	"time"
)

func TestDigestIntervalEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ now, daily, weekly string }{
		{"2026-11-18T10:30:00Z", "2026-11-18T08:00:00Z", "2026-11-16T08:00:00Z"}, // a Wednesday
		{"2026-11-18T08:00:00Z", "2026-11-18T08:00:00Z", "2026-11-16T08:00:00Z"},
		{"2026-11-18T07:59:59.999999Z", "2026-11-17T08:00:00Z", "2026-11-16T08:00:00Z"},
		{"2026-11-16T08:00:00Z", "2026-11-16T08:00:00Z", "2026-11-16T08:00:00Z"}, // a Monday
		{"2026-11-16T07:59:59Z", "2026-11-15T08:00:00Z", "2026-11-09T08:00:00Z"},
		{"2026-11-22T23:00:00Z", "2026-11-22T08:00:00Z", "2026-11-16T08:00:00Z"}, // a Sunday
		{"2027-01-01T00:00:00Z", "2026-12-31T08:00:00Z", "2026-12-28T08:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		daily, weekly := DigestDaily.End(now).Format(time.RFC3339), DigestWeekly.End(now).Format(time.RFC3339)
		if daily != c.daily || weekly != c.weekly {
			t.Errorf("%s: %s and %s, want %s and %s", c.now, daily, weekly, c.daily, c.weekly)
		}
	}
}

// A digest is written at eight where the user is, once, also after they have moved, and where clocks or hours differ.
func TestDigestIsDueWhereTheUserIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, last, now, want string }{
		{"Europe/Berlin", "2026-11-17T07:00:00Z", "2026-11-18T06:59:59Z", ""},
		{"Europe/Berlin", "2026-11-17T07:00:00Z", "2026-11-18T07:00:00Z", "2026-11-18T07:00:00Z"},
		{"Europe/Berlin", "2026-11-18T07:00:00Z", "2026-11-18T09:00:00Z", ""},
		{"Europe/Berlin", "2026-03-28T07:00:00Z", "2026-03-29T06:00:00Z", "2026-03-29T06:00:00Z"}, // clocks have gone forward
		{"Asia/Kolkata", "2026-11-17T03:00:00Z", "2026-11-18T03:00:00Z", "2026-11-18T03:00:00Z"},  // half past eight
		{"Asia/Kolkata", "2026-11-17T03:00:00Z", "2026-11-18T02:59:00Z", ""},
		{"America/New_York", "2026-11-18T07:00:00Z", "2026-11-18T13:00:00Z", ""}, // was in Berlin this morning
		{"America/New_York", "2026-11-18T07:00:00Z", "2026-11-19T07:00:00Z", ""},
		{"America/New_York", "2026-11-18T07:00:00Z", "2026-11-19T13:00:00Z", "2026-11-19T13:00:00Z"},
		{"Europe/Berlin", "2026-11-17T13:00:00Z", "2026-11-18T12:30:00Z", ""}, // was in New York
		{"Europe/Berlin", "2026-11-17T13:00:00Z", "2026-11-19T07:00:00Z", "2026-11-19T07:00:00Z"},
		{"UTC", "2026-11-17T08:00:00Z", "2026-11-18T15:00:00Z", "2026-11-18T08:00:00Z"}, // no server was running
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at := func(text string) time.Time {
			parsed, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			return parsed
		}
		end, due := DigestDaily.Due(at(c.last), at(c.now).In(zone))
		if due != (c.want != "") || due && end.Format(time.RFC3339) != c.want {
			t.Errorf("in %s at %s, after %s: %v, %v, want %q", c.zone, c.now, c.last, end, due, c.want)
		}
	}
}

// A digest includes intervals in which no server was running, up to a week.
func TestDueDigestFrom(t *testing.T) {
	t.Parallel()
	to := time.Date(2026, 11, 18, 8, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]time.Duration{24 * time.Hour: 24 * time.Hour, 72 * time.Hour: 72 * time.Hour, 400 * time.Hour: 168 * time.Hour} {
		if got := (DueDigest{LastEnd: to.Add(-ago), To: to}).From(); to.Sub(got) != want {
			t.Errorf("sent %s ago: from %s before, want %s", ago, to.Sub(got), want)
		}
	}
}

func TestUnsubscribeToken(t *testing.T) {
	t.Parallel()
	key := NewUnsubscribeKey(rand.Reader)
	token := UnsubscribeToken(5, 7, key)
	if user, project, ok := SubjectOfUnsubscribe(token); user != 5 || project != 7 || !ok || !CheckUnsubscribeToken(token, 5, 7, key) {
		t.Errorf("%s is of %d and %d: %v", token, user, project, ok)
	}
	if CheckUnsubscribeToken(token, 5, 8, key) || CheckUnsubscribeToken(token, 6, 7, key) || CheckUnsubscribeToken(token, 5, 7, NewUnsubscribeKey(rand.Reader)) {
		t.Error("the token is good for another user, project or key")
	}
	for _, bad := range []string{"", "5.7", "a.7.x", "5.b.x", "5.7.x.y"} {
		if _, _, ok := SubjectOfUnsubscribe(bad); ok {
			t.Errorf("%q is taken for a token", bad)
		}
	}
}
