package sett

import "time"

// Account owns projects, teams and everything in them.
type Account struct {
	ID        string
	Name      string
	Email     string
	Active    bool
	Parked    bool
	CreatedAt time.Time
}

// AccountSummary is an account with how much there is in it, as those see it who run the server.
type AccountSummary struct {
	Account
	Owners   []string // their addresses, in the order of the alphabet
	Users    int64
	Projects int64
}

// UsageDay is how the notices of an account ended on one UTC day.
type UsageDay struct {
	Day     time.Time // its midnight
	Stored  int64
	Limited int64
	Ignored int64
	Invalid int64
}

// AccountUsage is how the notices of an account ended in one month: an entry a day, from the first of the month.
type AccountUsage []UsageDay

// NewAccountUsage returns a usage of nothing: an entry for every day of now's month (UTC) that has begun. The days to
// come are left out, because a zero would claim to know how they end.
func NewAccountUsage(now time.Time) AccountUsage {
	var u AccountUsage
	for day := Month(now); !day.After(now); day = day.AddDate(0, 0, 1) {
		u = append(u, UsageDay{Day: day})
	}
	return u
}

// Set replaces the entry of d's day; a day that u does not have is dropped.
func (u AccountUsage) Set(d UsageDay) {
	if i := d.Day.UTC().Day() - 1; len(u) > i && u[i].Day.Equal(d.Day) {
		u[i] = d
	}
}

// QuotaConsumed returns which part of the monthly quota the stored notices are: 0.75 is 75 percent, and more than 1 is
// possible when the quota was lowered. Without a quota it is 0.
func (u AccountUsage) QuotaConsumed(l Limits) float64 {
	if l.MonthlyQuota <= 0 {
		return 0
	}
	var stored int64
	for _, d := range u {
		stored += d.Stored
	}
	return float64(stored) / float64(l.MonthlyQuota)
}
