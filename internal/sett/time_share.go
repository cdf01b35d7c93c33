package sett

import "time"

// TimeShare is for how long somebody looked, and for how long of that something was down.
type TimeShare struct{ Measured, Down time.Duration }

// ShareOf sums up the last days of several things.
func ShareOf(days int, histories ...[]StatusDay) (s TimeShare) {
	for _, h := range histories {
		for _, d := range h[max(0, len(h)-days):] {
			s.Measured, s.Down = s.Measured+d.Measured, s.Down+d.Down
		}
	}
	return s
}

// Percent returns the share of the time in which nothing was down; ok is false when nobody looked.
func (s TimeShare) Percent() (percent float64, ok bool) {
	if s.Measured <= 0 {
		return 0, false
	}
	return 100 * float64(s.Measured-s.Down) / float64(s.Measured), true
}
