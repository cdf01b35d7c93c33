package cron

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawField draws a field of a schedule whose values are from low to high.
func drawField(t *rapid.T, name string, low, high int, stars int) string {
	if rapid.IntRange(0, 99).Draw(t, name+" is free") < stars {
		return rapid.SampledFrom([]string{"*", "*", "*/2", "*/7"}).Draw(t, name)
	}
	var items []string
	for range rapid.IntRange(1, 3).Draw(t, name+" items") {
		a, b := rapid.IntRange(low, high).Draw(t, name+" from"), rapid.IntRange(low, high).Draw(t, name+" to")
		switch rapid.IntRange(0, 3).Draw(t, name+" form") {
		case 0:
			items = append(items, fmt.Sprintf("%d-%d", min(a, b), max(a, b)))
		case 1:
			items = append(items, fmt.Sprintf("%d-%d/%d", min(a, b), max(a, b), rapid.IntRange(1, 9).Draw(t, name+" step")))
		default:
			items = append(items, fmt.Sprint(a))
		}
	}
	return strings.Join(items, ",")
}

// drawCron draws a schedule that comes.
func drawCron(t *rapid.T) Schedule {
	days := drawField(t, "day of month", 1, 31, 60)
	weekdays := drawField(t, "day of week", 0, 7, 60)
	if rapid.IntRange(0, 9).Draw(t, "special days") == 0 {
		days = rapid.SampledFrom([]string{"L", "1,L", "*"}).Draw(t, "special day")
		weekdays = rapid.SampledFrom([]string{"*", "5#3", "0L", "mon#1,sun#5", "1L,2"}).Draw(t, "special weekday")
	}
	c, err := Parse(strings.Join([]string{
		drawField(t, "minute", 0, 59, 25), drawField(t, "hour", 0, 23, 40), days,
		drawField(t, "month", 1, 12, 70), weekdays,
	}, " "))
	if err != nil {
		t.Skip(err)
	}
	return c
}

// drawMoment draws a zone and a time near a moment when its clocks are moved.
func drawMoment(t *rapid.T) (*time.Location, time.Time) {
	name := rapid.SampledFrom([]string{
		"UTC", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Beirut", "Africa/Cairo", "Africa/Casablanca",
		"Europe/Dublin", "Pacific/Apia", "America/St_Johns", "Antarctica/Troll", "Antarctica/Casey", "Asia/Kathmandu", "America/Caracas",
		"Asia/Pyongyang", "Pacific/Kiritimati", "Eastern Time (US & Canada)",
	}).Draw(t, "zone")
	zone, err := TimeZone(name)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(rapid.Int64Range(0, 2.5e9).Draw(t, "at"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone)
	if _, end := at.ZoneBounds(); !end.IsZero() && rapid.Bool().Draw(t, "near a change") {
		at = end.Add(time.Duration(rapid.Int64Range(-3*86400, 86400).Draw(t, "away")) * time.Second)
	}
	return zone, at
}

// matches reports whether a schedule names what the clocks show, the plain way.
func (c Schedule) matches(t time.Time) bool {
	has := func(set uint64, i int) bool { return set>>i&1 == 1 }
	lastDay := time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() // in UTC, since zones skip midnights
	day := has(c.days, t.Day()) || c.lastDay && t.Day() == lastDay
	w := int(t.Weekday())
	weekday := has(c.weekdays, w) || has(c.nth[w], (t.Day()+6)/7) || has(c.nth[w], lastOfMonth) && t.Day()+7 > lastDay
	if c.bothDays {
		day = day && weekday
	} else {
		day = day || weekday
	}
	return day && has(c.minutes, t.Minute()) && has(c.hours, t.Hour()) && has(c.months, int(t.Month()))
}

// walk finds what Next finds as cron itself does: minute by minute, it looks at the clocks, and when they were moved it
// does as Debian's manual says. It gives up after so many days.
func (c Schedule) walk(after time.Time, zone *time.Location, days int) time.Time {
	shown := func(t time.Time) time.Time { // as a time in UTC, which never jumps
		_, offset := t.In(zone).Zone()
		return t.Add(time.Duration(offset) * time.Second).UTC()
	}
	start := after.Truncate(time.Minute).Add(-5 * time.Hour) // to know what the clocks have shown already
	reached := shown(start)                                  // up to here, fixed jobs have run
	for t := start.Add(time.Minute); t.Before(after.AddDate(0, 0, days)); t = t.Add(time.Minute) {
		now, run := shown(t), false
		if jump := now.Sub(shown(t.Add(-time.Minute))) - time.Minute; jump >= 3*time.Hour || jump < -3*time.Hour {
			reached = now.Add(-time.Minute)
		}
		if c.wild {
			run = c.matches(now)
		}
		for ; reached.Before(now); reached = reached.Add(time.Minute) {
			run = run || !c.wild && c.matches(reached.Add(time.Minute))
		}
		if run && t.After(after) {
			return t
		}
	}
	return time.Time{}
}

func TestCronAgreesWithAWalkThroughTheMinutes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const days = 8
		c := drawCron(t)
		zone, at := drawMoment(t)
		for range 3 {
			got, want := c.Next(at, zone), c.walk(at, zone, days)
			if want.IsZero() && !got.IsZero() && !got.Before(at.AddDate(0, 0, days).Add(-time.Minute)) {
				return
			}
			if !got.Equal(want) {
				t.Fatalf("%s in %s: after %v comes %v, want %v", c, zone, at.In(zone), got, want.In(zone))
			}
			at = got
		}
	})
}

func TestCronGoesOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCron(t)
		zone, at := drawMoment(t)
		for range 50 {
			next := c.Next(at, zone)
			if next.IsZero() {
				t.Fatalf("%s in %s ends %v", c, zone, at)
			}
			if !next.After(at) || next.Second() != 0 || next.Nanosecond() != 0 {
				t.Fatalf("%s in %s: after %v comes %v", c, zone, at, next)
			}
			// What comes is not missed by those who ask earlier, or a moment before.
			between := at.Add(time.Duration(rapid.Int64Range(0, int64(next.Sub(at))-1).Draw(t, "between")))
			if got := c.Next(between, zone); !got.Equal(next) {
				t.Fatalf("%s in %s: after %v comes %v, after %v in between %v", c, zone, at, next, between, got)
			}
			if start, _ := next.ZoneBounds(); !c.matches(next) && (c.wild || !next.Equal(start)) {
				t.Fatalf("%s in %s: %v is none of its times, nor the end of a skipped hour", c, zone, next)
			}
			at = next
		}
	})
}

// A schedule with fixed times has each of them once, whatever the clocks do: no more expectations than slots on a day,
// and fewer only where those of a skipped hour come together.
func TestCronExpectsEachFixedTimeOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		minute, hour := drawField(t, "minute", 0, 59, 0), drawField(t, "hour", 0, 23, 0)
		c, err := Parse(minute + " " + hour + " * * *")
		if err != nil {
			t.Fatal(err)
		}
		zone, at := drawMoment(t)
		year, month, day := at.Date()
		from, to := time.Date(year, month, day-1, 12, 0, 0, 0, zone), time.Date(year, month, day+2, 12, 0, 0, 0, zone)
		if from.Day() != time.Date(year, month, day-1, 12, 0, 0, 0, time.UTC).Day() {
			t.Skip("a day that the zone does not have, such as 31 December 1994 in Kiritimati")
		}
		jumped := false
		for s := spanAt(from.Unix(), zone); s.end < to.Unix(); s = spanAt(s.end, zone) {
			next := spanAt(s.end, zone)
			jumped = jumped || next.offset > s.offset
			if next.corrects(s) {
				t.Skip("a correction")
			}
		}
		n, slots := 0, 3*bits.OnesCount64(c.minutes)*bits.OnesCount64(c.hours)
		for at := c.Next(from, zone); !at.After(to); at = c.Next(at, zone) {
			n++
		}
		if n > slots || n < slots && !jumped {
			t.Fatalf("%s in %s has %d times from %v to %v, want %d", c, zone, n, from, to, slots)
		}
	})
}

func FuzzParseCron(f *testing.F) {
	for _, text := range []string{
		"30 2 * * *", "*/5 0-3 L,15 jan-mar fri#3", "0 0 29 2 */1,7L", "@daily", "61 * * * *", "1-9/2,5 * * * sunL", "* 2 8-14 3 */7",
		"0 0 31 2 *", "0 * 31 2 *", "5/10 * * * *", "* * * * *#1", "L L L L L", strings.Repeat("1,", 120) + "1 * * * *",
	} {
		f.Add(text, int64(1.8e9))
	}
	zone := mustZone(f, "America/New_York")
	f.Fuzz(func(t *testing.T, text string, second int64) {
		c, err := Parse(text)
		if err != nil {
			if err == nil || err.Error() == "" || len(err.Error()) > 2000 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		at := time.Unix(second, 0)
		for range 3 {
			next := c.Next(at, zone)
			if next.IsZero() {
				return
			}
			if !next.After(at) || next.Sub(at) > 41*366*24*time.Hour {
				t.Fatalf("%q: after %v comes %v", text, at, next)
			}
			at = next
		}
	})
}

func BenchmarkCronNext(b *testing.B) {
	for _, bench := range []struct{ name, schedule, zone string }{
		{"every 5 minutes", "*/5 * * * *", "America/New_York"},
		{"nightly", "30 2 * * *", "America/New_York"},
		{"weekdays UTC", "0 9 * * 1-5", "UTC"},
		{"third Friday", "0 9 * * 5#3", "Europe/Berlin"},
		{"29 February", "0 0 29 2 *", "Europe/Berlin"},
		{"never", "*/5 2 8-14 3 */7", "America/New_York"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c, zone := mustCron(b, bench.schedule), mustZone(b, bench.zone)
			at := utcDay(2026, 1, 1)
			b.ReportAllocs()
			for b.Loop() {
				if next := c.Next(at, zone); !next.IsZero() && next.Year() < 2030 {
					at = next
				} else {
					at = utcDay(2026, 1, 1)
				}
			}
		})
	}
}
