// Package run follows the runs of a job. It takes the starts and ends that the job reports, and the beginning of its output at an end. It
// returns the time by which the current run must end, and the results of runs that ended. The package never stores anything, and never
// decides what follows from a run that did not end.
package run

import (
	"encoding/json"
	"strings"
	"time"
)

// Result is a ping, or one that stayed away.
type Result struct {
	At       time.Time
	Missed   bool
	Failed   bool          // the job said so
	Duration time.Duration // negative when it did not say
}

// HasDuration reports whether the job said how long it took.
func (r Result) HasDuration() bool { return r.Duration >= 0 }

// Head is how many characters of a payload are read for the result of a run: the rest is output.
const Head = 160

// NewResult reads a result from the beginning of the payload of a ping, Head characters of it.
func NewResult(at time.Time, missed bool, head string) Result {
	r := Result{At: at, Missed: missed, Duration: -1}
	d := json.NewDecoder(strings.NewReader(head))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return r
	}
	for {
		name, err := d.Token()
		value, err2 := d.Token()
		if err != nil || err2 != nil {
			return r
		}
		r.set(name, value)
	}
}

func (r *Result) set(name, value json.Token) {
	number, _ := value.(json.Number)
	switch name {
	case "status":
		r.Failed = r.Failed || value == "error"
	case "exit_code":
		r.Failed = r.Failed || number != "0"
	case "duration":
		if ms, err := number.Int64(); err == nil && ms >= 0 {
			r.Duration = time.Duration(min(ms, int64(longest/time.Millisecond))) * time.Millisecond
		}
	}
}

// longest keeps what a job says from overflowing.
const longest = 10 * 366 * 24 * time.Hour
