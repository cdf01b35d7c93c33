package status

import "time"

// ResponseHours is how many hours of response times a status page shows, the current one included.
const ResponseHours = 24

// FirstResponseHour is the beginning of the oldest of these hours.
func FirstResponseHour(now time.Time) time.Time {
	return now.Truncate(time.Hour).Add(-(ResponseHours - 1) * time.Hour)
}

// ResponseTimes are how long the checks of a site took that did not fail, from all locations.
type ResponseTimes struct {
	Hours [ResponseHours]ResponseHour // the oldest first
}

// ResponseHour is the sum over an hour.
type ResponseHour struct {
	Total  time.Duration
	Checks int64
}

// Mean is the average of the hour; ok is false when no check succeeded.
func (h ResponseHour) Mean() (mean time.Duration, ok bool) {
	if h.Checks == 0 {
		return 0, false
	}
	return h.Total / time.Duration(h.Checks), true
}

// Mean is the average of all hours; ok is false when no check succeeded.
func (t ResponseTimes) Mean() (mean time.Duration, ok bool) {
	var all ResponseHour
	for _, h := range t.Hours {
		all.Total, all.Checks = all.Total+h.Total, all.Checks+h.Checks
	}
	return all.Mean()
}

// Range is the lowest and the highest average of an hour, and how many hours have none.
func (t ResponseTimes) Range() (low, high time.Duration, without int) {
	for _, h := range t.Hours {
		mean, ok := h.Mean()
		if !ok {
			without++
			continue
		}
		if high = max(high, mean); low == 0 || mean < low {
			low = mean
		}
	}
	return low, high, without
}
