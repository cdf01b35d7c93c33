package signin

import (
	"testing"
	"time"

	"sett/internal/sett"
)

func TestMailsToAnAddressAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	var m MailsTo
	for n := range MostMailsTo {
		next, wait := m.Send(now.Add(time.Duration(n) * time.Minute))
		if wait != 0 {
			t.Fatalf("mail %d has to wait %s", n, wait)
		}
		m = next
	}
	if same, wait := m.Send(now.Add(20 * time.Minute)); wait != 40*time.Minute || same != m {
		t.Errorf("one too many waits %s and leaves %+v", wait, same)
	}
	if next, wait := m.Send(now.Add(time.Hour)); wait != 0 || next.Count != 1 {
		t.Errorf("an hour later: %+v, %s", next, wait)
	}
	if e := TooManyInvitations(time.Minute); e.Code != sett.TooMany || e.RetryAfter != time.Minute {
		t.Errorf("%+v", e)
	}
}
