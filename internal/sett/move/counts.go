package move

import (
	"slices"
	"time"
)

// Count is how often an error occurred in a day or an hour (UTC).
type Count struct {
	At time.Time // its start
	N  int64
}

// Counts are how often an error occurred, as its source counts. Hours are the last ones, and are among the days.
type Counts struct{ Days, Hours []Count }

// MostDaysBack is how old a count may be.
const MostDaysBack = 35

// mostCounted is more than any error occurs in an hour.
const mostCounted = 1 << 40

const day = 24 * time.Hour

// Known is what of such counts came before: by the start of the day or hour, in seconds.
type Known struct {
	Days  map[int64]int64 `json:"d"`
	Hours map[int64]int64 `json:"h"`
}

// Added returns what counts add to those that came before, and all that has come then. What hours do not say of a day is spread over its
// other hours, so that all hours of a day make the day.
func (c Counts) Added(now time.Time, before Known) (add, all Known) {
	add = Known{map[int64]int64{}, map[int64]int64{}}
	all = Known{map[int64]int64{}, map[int64]int64{}}
	said := tidy(c.Hours, time.Hour, now)
	ofHours := map[int64]int64{} // what they add, by day
	for at, n := range said {
		if more := n - before.Hours[at]; more > 0 {
			add.Hours[at] = more
			ofHours[dayOf(at)] += more
		}
	}
	days := tidy(c.Days, day, now)
	for at := range ofHours {
		days[at] += 0 // it may have hours alone
	}
	for at, n := range days {
		more := max(n-before.Days[at], ofHours[at])
		if more <= 0 {
			continue
		}
		add.Days[at] = more
		spread(add.Hours, at, more-ofHours[at], said, now)
	}
	for _, part := range []struct{ all, before, add map[int64]int64 }{{all.Days, before.Days, add.Days}, {all.Hours, before.Hours, add.Hours}} {
		for at, n := range part.before {
			if now.Unix()-at < MostDaysBack*int64(day/time.Second) {
				part.all[at] = n
			}
		}
		for at, n := range part.add {
			part.all[at] += n
		}
	}
	return add, all
}

func dayOf(at int64) int64 { return at - at%int64(day/time.Second) }

// tidy returns counts by the starts of their days or hours, without those that cannot be.
func tidy(counts []Count, width time.Duration, now time.Time) map[int64]int64 {
	found := map[int64]int64{}
	for _, c := range counts {
		if age := now.Sub(c.At); c.N > 0 && age >= 0 && age < MostDaysBack*day {
			at := c.At.UTC().Truncate(width).Unix()
			found[at] = min(found[at]+min(c.N, mostCounted), mostCounted)
		}
	}
	return found
}

// spread adds n to the hours of a day of which nothing is said and that have begun, or else to its first hour.
func spread(hours map[int64]int64, start, n int64, said map[int64]int64, now time.Time) {
	var open []int64
	for at := start; at < start+int64(day/time.Second) && at <= now.Unix(); at += int64(time.Hour / time.Second) {
		if _, ok := said[at]; !ok {
			open = append(open, at)
		}
	}
	if len(open) == 0 {
		open = append(open, start)
	}
	each, rest := n/int64(len(open)), n%int64(len(open))
	for _, at := range slices.Sorted(slices.Values(open)) {
		more := each
		if rest > 0 {
			more, rest = more+1, rest-1
		}
		if more > 0 {
			hours[at] += more
		}
	}
}
