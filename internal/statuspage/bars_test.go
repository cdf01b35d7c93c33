package statuspage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestBars(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		days []sett.StatusDay
		want []bar
		text string
	}{
		"nothing known": {nil, []bar{{unclear, "M0 10h449"}}, "90 days, no data yet"},
		"all good":      {days(nil, 0), []bar{{good, "M0 10h449"}}, "90 days, never down"},
		"today only":    {days(nil, 0)[89:], []bar{{unclear, "M0 10h444"}, {good, "M445 10h4"}}, "90 days, never down, no data on 89"},
		"outages": {
			days(map[int]time.Duration{0: time.Minute, 2: 38 * time.Minute, 3: time.Hour}, 1),
			[]bar{{unclear, "M0 10h4"}, {good, "M5 10h424M440 10h4"}, {worse, "M445 10h4"}, {bad, "M430 10h9"}},
			"90 days, down on 3 of them for 1 hour 39 minutes in all, last on 18 Nov, no data on 1",
		},
		"more than are shown": {append(days(map[int]time.Duration{89: time.Hour}, 0), days(nil, 0)...), []bar{{good, "M0 10h449"}}, "90 days, never down"},
	} {
		if diff := cmp.Diff(tt.want, barsOf(tt.days)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := barsText(tt.days); got != tt.text {
			t.Errorf("%s: %q, want %q", name, got, tt.text)
		}
	}
	if barsWide != 449 {
		t.Errorf("bars are %d wide, and the template's picture 449", barsWide)
	}
}

// After any downtime the share is below 100%, and unmeasured days do not count.
func TestPercent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		days []sett.StatusDay
		want string
	}{
		{days(nil, 0), "100%"},
		{days(map[int]time.Duration{3: time.Second}, 0), "99.99%"},
		{days(map[int]time.Duration{3: 24 * time.Hour}, 80), "90%"},
		{days(map[int]time.Duration{3: 12 * time.Hour}, 80), "95%"},
		{days(map[int]time.Duration{3: 6 * time.Hour}, 80), "97.5%"},
		{days(map[int]time.Duration{3: 36 * time.Hour}, 80), "90%"},
	} {
		percent, measured := uptime(tt.days)
		if got := percentText(percent); got != tt.want || !measured {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if _, measured := uptime(days(nil, 90)); measured {
		t.Error("there is a share of nothing")
	}
}

func TestSpell(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Second: "less than a minute", time.Minute: "1 minute", 38 * time.Minute: "38 minutes", 61 * time.Minute: "1 hour 1 minute",
		2 * time.Hour: "2 hours", 25 * time.Hour: "1 day 1 hour", 48 * time.Hour: "2 days",
	} {
		if got := spell(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	plain := func(text string) span { return span{Text: text} }
	link := func(text string) span { return span{text, text} }
	for text, want := range map[string][][]span{
		"":                              nil,
		" \n ":                          nil,
		"a\r\nb\n\nc":                   {{plain("a")}, {plain("b")}, nil, {plain("c")}},
		"see https://a.test/b.":         {{plain("see "), link("https://a.test/b"), plain(".")}},
		"(http://a.test/b_(c))":         {{plain("("), link("http://a.test/b_(c)"), plain(")")}},
		`https://a.test/"x`:             {{link("https://a.test/"), plain(`"x`)}},
		"javascript:x ftp://a.test":     {{plain("javascript:x ftp://a.test")}},
		"https://a.test,https://b.test": {{link("https://a.test,https://b.test")}},
	} {
		if diff := cmp.Diff(want, lines(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
