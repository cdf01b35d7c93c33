package signin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
	"sett/internal/sett/signin"
)

func TestFailuresTry(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	type step struct {
		after time.Duration // since the step before
		wait  time.Duration // that the answer asks for; 0: it is accepted
	}
	for name, steps := range map[string][]step{
		"five are free": {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, time.Second}},
		"waits double": {
			{0, 0},
			{0, 0},
			{0, 0},
			{0, 0},
			{0, 0},
			{0, time.Second},
			{time.Second, 0},
			{0, 2 * time.Second},
			{2 * time.Second, 0},
			{time.Second, 3 * time.Second},
			{3 * time.Second, 0},
			{0, 8 * time.Second},
		},
		"a try that has to wait counts nothing": {
			{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, time.Second}, {0, time.Second}, {0, time.Second}, {time.Second, 0}, {0, 2 * time.Second},
		},
		"a quarter of an hour forgets": {
			{0, 0}, {0, 0}, {0, 0}, {0, 0}, {15 * time.Minute, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, time.Second},
		},
		"a little less does not":                {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {15*time.Minute - 1, 0}, {0, time.Second}},
		"the quarter begins when the wait ends": {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {15 * time.Minute, 0}, {0, 2 * time.Second}},
	} {
		var f signin.Failures
		now := start
		for i, s := range steps {
			now = now.Add(s.after)
			next, wait := f.Try(now, 5)
			if wait != s.wait {
				t.Errorf("%s: step %d waits %v, want %v", name, i+1, wait, s.wait)
			}
			f = next
		}
	}
}

// A wait is at most a quarter of an hour after any attempts, and only a refused attempt changes nothing.
func TestFailuresTryIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var f signin.Failures
		now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 40).Draw(t, "tries") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Minute)).Draw(t, "pause")))
			next, wait := f.Try(now, 5)
			switch {
			case wait > 15*time.Minute || wait < 0:
				t.Fatalf("a wait of %v", wait)
			case wait > 0 && next != f:
				t.Fatalf("a refused try changes %+v to %+v", f, next)
			case wait == 0 && (next.Count < 1 || next.Until.Before(now)):
				t.Fatalf("a try at %v leaves %+v", now, next)
			}
			f = next
		}
	})
}

func TestTooManyTries(t *testing.T) {
	t.Parallel()
	for wait, want := range map[time.Duration]string{
		time.Millisecond: "Wait 1 second, ", time.Second: "Wait 1 second, ", 1500 * time.Millisecond: "Wait 2 seconds, ",
		time.Minute: "Wait 60 seconds, ", 61 * time.Second: "Wait 2 minutes, ", 15 * time.Minute: "Wait 15 minutes, ",
	} {
		e := signin.TooManyTries(wait)
		if !strings.Contains(e.Message, want) || e.RetryAfter != wait || e.Code != sett.TooMany {
			t.Errorf("%v: %+v, want %q", wait, e, want)
		}
	}
}

func TestCheckNewPassword(t *testing.T) {
	t.Parallel()
	const short = "password is too short (minimum is 10 characters); four random words work well"
	const known = "password must not be your address or your name, which others would try first"
	for password, want := range map[string]string{
		"":                            short,
		"123456789":                   short,
		"ääääääääää":                  "",
		"1234567890":                  "",
		strings.Repeat("ä", 128):      "",
		strings.Repeat("ä", 129):      "password is too long (maximum is 128 characters)",
		"annabel.lee@example.test":    known,
		"Annabel.Lee@Example.Test ":   known,
		"annabel.lee":                 known,
		"Annabel Lee":                 known,
		"annabel lee of the seashore": "",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": "password must be UTF-8",
	} {
		var p sett.Problems
		signin.CheckNewPassword(&p, "password", password, "annabel.lee@example.test", "Annabel Lee")
		if got := strings.Join(p, "; "); got != want {
			t.Errorf("%q: %q, want %q", password, got, want)
		}
	}
}

func TestSecondFactorNeeded(t *testing.T) {
	t.Parallel()
	for how, want := range map[signin.How]bool{signin.ByPassword: true, signin.ByInvitation: false} {
		if how.SecondFactorNeeded(false) || how.SecondFactorNeeded(true) != want {
			t.Errorf("%s: without a factor %t, with one %t", how, how.SecondFactorNeeded(false), how.SecondFactorNeeded(true))
		}
	}
}

func TestSessionOver(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, c := range []struct {
		seen, now time.Duration // since it began
		want      bool
	}{
		{0, 30*day - 1, false}, {0, 30 * day, true}, {61 * day, 90*day - 1, false}, {61 * day, 90 * day, true}, {89 * day, 91 * day, true},
	} {
		s := signin.Session{CreatedAt: began, LastSeenAt: began.Add(c.seen)}
		if got := s.Over(began.Add(c.now)); got != c.want {
			t.Errorf("seen after %v, over after %v: %t", c.seen, c.now, got)
		}
	}
}

func TestDeviceOf(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                  "Firefox on Linux",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15":                   "Safari on macOS",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0":               "Edge on Windows",
		"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36":                            "Chrome on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"curl/8.11": "curl", "": "An unknown browser", "Something (Linux)": "A browser on Linux",
	} {
		if got := signin.DeviceOf(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}

func TestNewPersonalToken(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, scope, days string
		want              signin.PersonalToken
		problems          string
	}{
		{"a", "read", "0", signin.PersonalToken{Name: "a", ReadOnly: true, CreatedAt: now}, ""},
		{"a", "write", "30", signin.PersonalToken{Name: "a", CreatedAt: now, ExpiresAt: now.Add(30 * 24 * time.Hour)}, ""},
		{"a", "write", "365", signin.PersonalToken{Name: "a", CreatedAt: now, ExpiresAt: now.Add(365 * 24 * time.Hour)}, ""},
		{"", "write", "30", signin.PersonalToken{CreatedAt: now, ExpiresAt: now.Add(30 * 24 * time.Hour)}, "name can't be blank"},
		{
			strings.Repeat("a", 256), "", "",
			signin.PersonalToken{Name: strings.Repeat("a", 256), CreatedAt: now},
			"name is too long (maximum is 255 characters); scope must be read or write; days must be 30, 90, 365, or 0 for a token that does not expire",
		},
		{"a", "read", "030", signin.PersonalToken{Name: "a", ReadOnly: true, CreatedAt: now}, "days must be 30, 90, 365, or 0 for a token that does not expire"},
	} {
		var p sett.Problems
		got := signin.NewPersonalToken(&p, now, c.name, c.scope, c.days)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
		if problems := strings.Join(p, "; "); problems != c.problems {
			t.Errorf("%+v: %q", c, problems)
		}
	}
}

func TestNewRecoveryCodes(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, c := range signin.NewRecoveryCodes() {
		if len(c) != 19 || len(signin.PlainCode(c)) != 16 || signin.PlainCode(strings.ToUpper(" "+c)) != signin.PlainCode(c) {
			t.Errorf("a code is %q", c)
		}
		codes[c] = true
	}
	if len(codes) != 10 {
		t.Errorf("%d codes", len(codes))
	}
}

func TestHowManySignInsBegin(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	var b signin.Begun
	for n := range 100 {
		var wait time.Duration
		if b, wait = b.Begin(start.Add(time.Duration(n) * time.Second)); wait != 0 {
			t.Fatalf("number %d waits %s", n+1, wait)
		}
	}
	if again, wait := b.Begin(start.Add(2 * time.Minute)); wait != 3*time.Minute || again != b {
		t.Errorf("one more waits %s: %+v", wait, again)
	}
	if _, wait := b.Begin(start.Add(5*time.Minute - 1)); wait != 1 {
		t.Errorf("at the end it waits %s", wait)
	}
	next, wait := b.Begin(start.Add(5 * time.Minute))
	if want := (signin.Begun{1, start.Add(10 * time.Minute)}); wait != 0 || next != want {
		t.Errorf("after the stretch: %+v, %s", next, wait)
	}
}
