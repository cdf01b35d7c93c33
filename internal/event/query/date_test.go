package query

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func searchMoment(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

func TestSearchDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		at       string // what .after and .before count from
		from, to string // the range without an operator
	}{
		{"now", "2026-10-07T21:12:40.0000005Z", "2026-10-07T21:12:00Z", "2026-10-07T21:13:00Z"},
		{"today", "2026-10-07T00:00:00Z", "2026-10-07T00:00:00Z", "2026-10-08T00:00:00Z"},
		{"Yesterday", "2026-10-06T00:00:00Z", "2026-10-06T00:00:00Z", "2026-10-07T00:00:00Z"},
		{"this week", "2026-10-05T00:00:00Z", "2026-10-05T00:00:00Z", "2026-10-12T00:00:00Z"},
		{"last week", "2026-09-28T00:00:00Z", "2026-09-28T00:00:00Z", "2026-10-05T00:00:00Z"},
		{"this month", "2026-10-01T00:00:00Z", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"},
		{"last month", "2026-09-01T00:00:00Z", "2026-09-01T00:00:00Z", "2026-10-01T00:00:00Z"},

		{"1 minute ago", "2026-10-07T21:11:40.0000005Z", "2026-10-07T21:11:00Z", "2026-10-07T21:12:00Z"},
		{"24  Hours ago", "2026-10-06T21:12:40.0000005Z", "2026-10-06T21:00:00Z", "2026-10-06T22:00:00Z"},
		{"7 days ago", "2026-09-30T21:12:40.0000005Z", "2026-09-30T00:00:00Z", "2026-10-01T00:00:00Z"},
		{"2 weeks ago", "2026-09-23T21:12:40.0000005Z", "2026-09-21T00:00:00Z", "2026-09-28T00:00:00Z"},
		{"3 months ago", "2026-07-07T21:12:40.0000005Z", "2026-07-01T00:00:00Z", "2026-08-01T00:00:00Z"},

		{"July 1", "2026-07-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z"},
		{"oct 7", "2026-10-07T00:00:00Z", "2026-10-07T00:00:00Z", "2026-10-08T00:00:00Z"},
		{"October 8", "2025-10-08T00:00:00Z", "2025-10-08T00:00:00Z", "2025-10-09T00:00:00Z"},
		{"Feb 29", "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"Jul 1 2026", "2026-07-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z"},
		{"july 1, 2025", "2025-07-01T00:00:00Z", "2025-07-01T00:00:00Z", "2025-07-02T00:00:00Z"},

		{"2026-07-01", "2026-07-01T00:00:00Z", "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z"},
		{"2026-07-01 09:30", "2026-07-01T09:30:00Z", "2026-07-01T09:30:00Z", "2026-07-01T09:31:00Z"},
		{"2026-07-01 09:30 UTC", "2026-07-01T09:30:00Z", "2026-07-01T09:30:00Z", "2026-07-01T09:31:00Z"},
		{"2026-07-01 09:30:15 UTC", "2026-07-01T09:30:15Z", "2026-07-01T09:30:15Z", "2026-07-01T09:30:16Z"},
		{"2026-07-01T09:30:15.25+02:00", "2026-07-01T07:30:15.25Z", "2026-07-01T07:30:15Z", "2026-07-01T07:30:16Z"},
		{"1782898215", "2026-07-01T09:30:15Z", "2026-07-01T09:30:15Z", "2026-07-01T09:30:16Z"},
	} {
		for _, q := range []string{c.text, `"` + c.text + `"`} {
			for _, v := range []Value{
				{Op: On, From: searchMoment(c.from), To: searchMoment(c.to)},
				{Op: After, From: searchMoment(c.at)},
				{Op: Before, To: searchMoment(c.at)},
			} {
				key := "created"
				if v.Op != On {
					key += "." + string(v.Op)
				}
				s, err := parse("a "+key+":"+q+" b", searchNow)
				if err != nil || len(s.Terms) != 3 {
					t.Errorf("%s:%s: %+v, %v", key, q, s, err)
					continue
				}
				got := s.Terms[1].Values[0]
				v.Text = got.Text
				if diff := cmp.Diff(v, got); diff != "" {
					t.Errorf("%s:%s (-want +got):\n%s", key, q, diff)
				}
			}
		}
	}
}

func TestSearchDatesRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "soon", "2026", "12345678", "1234567890123", "hours ago", "24 hours", "-1 days ago", "1 year ago", "9999999 hours ago",
		"99999 months ago", "July 32", "Feb 30", "July", "2026-13-01", "2026-02-30", "0001-01-01T00:00:00Z", "1969-12-31", "24:00",
		"1.5 hours ago", "last deploys",
	} {
		if s, err := parse(`created.after:"`+text+`"`, searchNow); err == nil {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
}

func TestThisWeekBeginsOnMonday(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0).UTC()
		s, err := parse("created:this week", now)
		if err != nil {
			t.Fatal(err)
		}
		week := s.Terms[0].Values[0]
		if week.From.Weekday() != time.Monday || week.To.Sub(week.From) != 7*24*time.Hour ||
			now.Before(week.From) || !now.Before(week.To) {
			t.Fatalf("the week of %v is from %v to %v", now, week.From, week.To)
		}
	})
}

func TestUnquotedDatesTakeAsManyWordsAsFit(t *testing.T) {
	t.Parallel()
	for q, words := range map[string][]string{
		"created.after:24 hours ago timeout": {"timeout"},
		"created.after: 24 hours ago":        nil,
		"created:July 1 2026 -x":             {"x"},
		"created:July 1 12":                  {"12"},
		"created:2026-07-01 09:30 UTC UTC":   {"UTC"},
		"created:2026-07-01 timeout 09:30":   {"timeout", "09:30"},
		"created:last deploy deploy":         {"deploy"},
		`created:today "24 hours ago"`:       {"24 hours ago"},
		"created:today hours ago":            {"hours", "ago"},
	} {
		s, err := parse(q, searchNow)
		if err != nil {
			t.Errorf("%q: %v", q, err)
			continue
		}
		var got []string
		for _, term := range s.Terms[1:] {
			got = append(got, term.Values[0].Text)
		}
		if diff := cmp.Diff(words, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", q, diff)
		}
	}
}
