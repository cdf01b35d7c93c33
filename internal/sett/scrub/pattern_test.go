package scrub

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// nested is a pattern for which RE2 takes some 1,600 steps for each character.
const nested = `(a?){400}b`

func TestCostlyPatternsAreRefused(t *testing.T) {
	t.Parallel()
	for _, costly := range []string{nested, `((a?){20}){20}b`, `[a-z]{1,200}@[a-z]{1,200}`, `\pL{300}`} {
		_, err := New(Settings{Patterns: []string{costly}})
		if sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "too much work") {
			t.Errorf("%s: %v", costly, err)
		}
	}
	for _, usual := range []string{`CUST-[0-9]{6}`, `\b\d{3}-\d{2}-\d{4}\b`, `[\w.+-]+@[\w-]+(\.[\w-]+)+`, `[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}`} {
		if _, err := New(Settings{Patterns: []string{usual}}); err != nil {
			t.Errorf("%s: %v", usual, err)
		}
	}
}

// TestTextsThatNoPatternChecksAreRemoved has patterns as an earlier version stored them.
func TestTextsThatNoPatternChecksAreRemoved(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", mostSteps/1000)
	for _, c := range []struct{ pattern, text, want string }{
		{nested, "xaab", "x" + Filtered},
		{nested, "ordinary", "ordinary"},
		{nested, long, Filtered},
		{`CUST-\d+`, long + " CUST-1", long + " " + Filtered},
		{strings.Repeat(`\pL{1000}`, 20), "short", Filtered},
		{`(`, "short", Filtered},
		{`(`, "", ""},
	} {
		var counts Counts
		rules := newRules(Settings{Patterns: []string{c.pattern}}, stopped)
		if got := rules.CleanText(c.text, &counts); got != c.want {
			t.Errorf("%s leaves %.50q of %.50q, want %.50q", c.pattern, got, c.text, c.want)
		}
		if again := rules.CleanText(c.want, &counts); again != c.want {
			t.Errorf("%s leaves %.50q of what it left before", c.pattern, again)
		}
		if want := strings.Count(c.want, Filtered); counts.Total() != want {
			t.Errorf("%s: %v are counted, want %d", c.pattern, counts, want)
		}
	}
}

// stopped is a clock that stands still.
func stopped() time.Time { return time.Unix(0, 0) }

// TestPatternsHaveAnAccountOfTime has a pattern that looks at the rest of a text for each of its characters, and a clock that goes on while it does.
func TestPatternsHaveAnAccountOfTime(t *testing.T) {
	t.Parallel()
	now, looks := stopped(), -1 // one look is that of the account
	clock := func() time.Time { // find looks three times, the last time when it has searched
		if looks++; looks%3 == 0 {
			now = now.Add(300 * time.Millisecond)
		}
		return now
	}
	rules := newRules(Settings{Patterns: []string{`a*b|a`}}, clock)
	var counts Counts
	if got := rules.CleanText(strings.Repeat("a", 20_000), &counts); got != Filtered || counts != (Counts{ByBound: 1}) {
		t.Fatalf("it leaves %.50q, and counts %v", got, counts)
	}
	rules.account.left = -mostTime
	if got := rules.CleanText("xa", &counts); got != Filtered {
		t.Errorf("without time left, it leaves %q", got)
	}
	now = now.Add(3 * time.Second)
	if got := rules.CleanText("xa", &counts); got != "x"+Filtered {
		t.Errorf("a moment later, it leaves %q", got)
	}
}

// TestCheapPatternsAreNotCharged has a machine that is so busy that each look at the clock takes an hour.
func TestCheapPatternsAreNotCharged(t *testing.T) {
	t.Parallel()
	now := stopped()
	rules := newRules(Settings{Patterns: []string{`CUST-\d+`}}, func() time.Time { now = now.Add(time.Hour); return now })
	rules.account.now = func() time.Time { now = now.Add(time.Microsecond); return now }
	var counts Counts
	for range 1_000 {
		if got := rules.CleanText("order of CUST-12", &counts); got != "order of "+Filtered {
			t.Fatalf("it leaves %q", got)
		}
	}
}

// TestLongTextsAreReadOnce has texts that would take hours if each of their signs meant another look at what follows.
func TestLongTextsAreReadOnce(t *testing.T) {
	t.Parallel()
	rules := newRules(Settings{}, stopped)
	for _, text := range []string{"<password>", "://", "password:x ", "password=", "password=(", "pin='", "a@b://", "eyJ.", "ghp_", "-----BEGIN "} {
		rules.CleanText(strings.Repeat(text, 1<<20/len(text))+"(", new(Counts))
	}
	if got := rules.CleanText("<password>a<b>c</b>", new(Counts)); got != "<password>a<b>c</b>" {
		t.Error(got)
	}
	if got, want := rules.CleanText("password="+strings.Repeat("x", longestFunction+1)+"(1)", new(Counts)), "password="+Filtered+"(1)"; got != want {
		t.Error(got)
	}
}
