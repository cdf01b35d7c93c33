package api

import (
	"strconv"
	"time"

	"sett/internal/sett"
)

// timeParam is a query parameter that names a moment: seconds since 1970, as the contract has it, or RFC 3339, as older
// clients send it (wire.md §1.3).
type timeParam string

// time reads the parameter of that name; the zero time when it is absent. A moment outside of the years 1970 to 9999 is
// a slip, such as milliseconds for seconds, and noted with the problems as anything else that is no time.
func (p timeParam) time(problems *sett.Problems, name string) time.Time {
	if p == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, string(p))
	if seconds, notSeconds := strconv.ParseInt(string(p), 10, 64); notSeconds == nil {
		at, err = time.Unix(seconds, 0), nil
	}
	if at = at.UTC(); err != nil || at.Year() < 1970 || at.Year() > 9999 {
		problems.Add(name, "must be seconds since 1970, such as 1795000000, or a time such as 2026-11-18T10:30:00Z")
		return time.Time{}
	}
	return at
}
