package sett

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Stand-ins until branch cron is merged.

type Cron struct{ text string }

func ParseCron(text string) (Cron, error) {
	if len(strings.Fields(text)) != 5 {
		return Cron{}, errors.New("must have five fields")
	}
	return Cron{text}, nil
}

func (c Cron) Next(after time.Time, _ *time.Location) time.Time {
	return after.Truncate(time.Minute).Add(time.Minute)
}

func TimeZone(name string) (*time.Location, error) {
	return time.LoadLocation(name)
}

type CheckInPeriod struct {
	n    int
	unit string
}

func (d CheckInPeriod) IsZero() bool { return d.n == 0 }

func (d CheckInPeriod) Add(t time.Time) time.Time {
	switch d.unit {
	case "hour":
		return t.Add(time.Duration(d.n) * time.Hour)
	case "day":
		return t.AddDate(0, 0, d.n)
	case "week":
		return t.AddDate(0, 0, 7*d.n)
	case "month":
		return t.AddDate(0, d.n, 0)
	}
	return t.Add(time.Duration(d.n) * time.Minute)
}

func ParseCheckInPeriod(text string) (CheckInPeriod, error) {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), " ")
	if text == "" {
		return CheckInPeriod{}, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return CheckInPeriod{}, errors.New("must be a number and minutes, hours, days, weeks or months")
	}
	return CheckInPeriod{n, strings.TrimSuffix(unit, "s")}, nil
}
