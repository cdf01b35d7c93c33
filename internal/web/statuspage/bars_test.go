package statuspage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

func TestBars(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		days []checks.StatusDay
		want []bar
	}{
		"nothing known": {nil, []bar{{unclear, "M0 10h449"}}},
		"all good":      {days(nil, 0), []bar{{good, "M0 10h449"}}},
		"today only":    {days(nil, 0)[89:], []bar{{unclear, "M0 10h444"}, {good, "M445 10h4"}}},
		"outages": {
			days(map[int]time.Duration{0: time.Minute, 2: 38 * time.Minute, 3: time.Hour}, 1),
			[]bar{{unclear, "M0 10h4"}, {good, "M5 10h424M440 10h4"}, {worse, "M445 10h4"}, {bad, "M430 10h9"}},
		},
		"more than are shown": {append(days(map[int]time.Duration{89: time.Hour}, 0), days(nil, 0)...), []bar{{good, "M0 10h449"}}},
	} {
		if diff := cmp.Diff(tt.want, barsOf(tt.days)); diff != "" {
			t.Errorf("%s: %s", name, diff)
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
		days []checks.StatusDay
		want string
	}{
		{days(nil, 0), "100%"},
		{days(map[int]time.Duration{3: time.Second}, 0), "99.99%"},
		{days(map[int]time.Duration{3: 24 * time.Hour}, 80), "90%"},
		{days(map[int]time.Duration{3: 12 * time.Hour}, 80), "95%"},
		{days(map[int]time.Duration{3: 6 * time.Hour}, 80), "97.5%"},
		{days(map[int]time.Duration{3: 36 * time.Hour}, 80), "90%"},
	} {
		percent, measured := status.ComponentView{Days: tt.days}.Percent()
		if got := locale.English.Percent(percent); got != tt.want || !measured {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if _, measured := (status.ComponentView{Days: days(nil, 90)}).Percent(); measured {
		t.Error("there is a share of nothing")
	}
}

// A share names the days that there are, and no more.
func TestPercentNamesItsDays(t *testing.T) {
	t.Parallel()
	for unseen, want := range map[int]string{0: "100% over 90 days", 30: "100% over 60 days", 88: "100% over 2 days", 89: "100% since today", 90: ""} {
		c := status.ComponentView{Days: days(nil, unseen)}
		if got := rowOf(locale.English, c).Percent; got != want {
			t.Errorf("after %d days without data: %q, want %q", unseen, got, want)
		}
		young := status.ComponentView{Days: days(nil, 89)}
		if got := groupOf(locale.English, status.ComponentGroup{Name: "Shop", Components: []status.ComponentView{young, c}}, nil).Percent; unseen < 90 && got != want {
			t.Errorf("of a group: %q, want %q", got, want)
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
