package cron

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCronWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"* * * * *":             "every minute",
		"*/15 * * * *":          "every 15 minutes",
		"*/7 * * * *":           "",
		"0 * * * *":             "every hour",
		"@hourly":               "every hour",
		"5 * * * *":             "every hour at minute 5",
		"0 */6 * * *":           "at 00:00, 06:00, 12:00 and 18:00 every day",
		"0 */2 * * *":           "every 2 hours",
		"10 */2 * * *":          "every 2 hours at minute 10",
		"30 2 * * *":            "at 02:30 every day",
		"0,30 9 * * *":          "at 09:00 and 09:30 every day",
		"30 2,14 * * 1-5":       "at 02:30 and 14:30 from Monday to Friday",
		"0 0 * * 0":             "at 00:00 on Sundays",
		"0 0 * * 7,3":           "at 00:00 on Sundays and Wednesdays",
		"@monthly":              "at 00:00 on day 1 of the month",
		"0 0 1,15 * *":          "at 00:00 on days 1 and 15 of the month",
		"0 0 L * *":             "at 00:00 on the last day of the month",
		"0 9 * * 5#3":           "at 09:00 on the third Friday of the month",
		"0 9 * * 5L":            "at 09:00 on the last Friday of the month",
		"0 9 * * 5#3,5#1":       "",
		"0 9 1 * 5":             "", // the first day and Fridays
		"0 9 1-31 * 5":          "at 09:00 every day",
		"@yearly":               "at 00:00 on day 1 of the month in January",
		"0 0 1 1-6 *":           "at 00:00 on day 1 of the month from January to June",
		"0 0 1 */2 *":           "",
		"*/10 9-17 * * 1-5":     "every 10 minutes from 09:00 to 17:50 from Monday to Friday",
		"0 9-17 * * *":          "every hour from 09:00 to 17:00 every day",
		"15 9-17 * * *":         "every hour from 09:15 to 17:15 every day",
		"*/30 1,5,9 * * *":      "",
		"1,2,3,4,5 4 * * *":     "",
		"*/5 4 * * *":           "every 5 minutes from 04:00 to 04:55 every day",
		"1-59/2 4 * * *":        "",
		"*/15 * * 1,4,7,10 1-5": "every 15 minutes from Monday to Friday in January, April, July and October",
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Words(); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// Schedules of the same words come at the same times, so that the words tell when.
func TestCronWordsTellApart(t *testing.T) {
	t.Parallel()
	known := map[string]Schedule{}
	field := func(star string, items ...string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			some := rapid.SliceOfNDistinct(rapid.SampledFrom(items), 1, 3, rapid.ID[string]).Draw(t, "items")
			return rapid.SampledFrom([]string{star, star, strings.Join(some, ",")}).Draw(t, "field")
		})
	}
	numbers := []string{"0", "1", "2", "3", "9-17", "*/2", "*/3", "*/4", "1-4"}
	minute, hour := field("0", append(numbers, "*", "30", "*/15")...), field("*", numbers...)
	date, month := field("*", "1", "2", "15", "L", "1-5", "*/2"), field("*", "1", "7", "2-4", "*/3")
	weekday := field("*", "0", "1", "1-5", "5L", "5#3", "3#1")
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprint(minute.Draw(t, "minute"), " ", hour.Draw(t, "hour"), " ", date.Draw(t, "date"), " ", month.Draw(t, "month"), " ", weekday.Draw(t, "weekday"))
		c, err := Parse(text)
		if err != nil || c.Words() == "" {
			return
		}
		other, met := known[c.Words()]
		if !met {
			known[c.Words()] = c
			return
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 60 {
			next := c.Next(at, time.UTC)
			if !next.Equal(other.Next(at, time.UTC)) {
				t.Fatalf("%s and %s are both %q", c, other, c.Words())
			}
			at = next
		}
	})
}
