package sett

import "time"

// CheckInPause is the body of a pause of a check-in.
type CheckInPause struct {
	Time Optional[string] `json:"time" required:"true" doc:"How long no pings are expected from the job." enum:"hour,day,week"`
}

// Until returns when the pause ends.
func (p CheckInPause) Until(now time.Time) (time.Time, error) {
	spans := map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}
	span, known := spans[p.Time.Value]
	if !known {
		return time.Time{}, Errorf(Invalid, `Send {"time": "hour"}, "day" or "week".`)
	}
	return now.Add(span), nil
}
