package cron

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// longest is how many bytes a schedule has at most.
const longest = 255

// names are the schedules with a name (crontab(5)), in lower case.
var names = map[string]string{
	"@hourly":   "0 * * * *",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly":   "0 0 * * 0",
	"@monthly":  "0 0 1 * *",
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
}

// Parse reads a schedule: five fields with lists, ranges, steps and names, or a name such as @daily. The message of its error
// begins with the schedule, so that it can follow the name of a field.
func Parse(text string) (Schedule, error) {
	if len(text) > longest {
		return Schedule{}, fmt.Errorf("is too long (maximum is %d bytes)", longest)
	}
	c, problem := parse(text)
	if problem != "" {
		return Schedule{}, fmt.Errorf("%q: %s", text, problem)
	}
	c.text = text
	return c, nil
}

// parse reads a schedule, or says what is wrong with it.
func parse(text string) (c Schedule, problem string) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' })
	if problem := lineProblem(fields); problem != "" {
		return c, problem
	}
	if len(fields) == 1 && strings.HasPrefix(fields[0], "@") {
		named, problem := named(strings.ToLower(fields[0]))
		if problem != "" {
			return c, problem
		}
		fields = strings.Fields(named)
	}
	if problem := countProblem(len(fields)); problem != "" {
		return c, problem
	}
	c.wild = strings.HasPrefix(fields[0], "*") || strings.HasPrefix(fields[1], "*")
	c.bothDays = strings.HasPrefix(fields[2], "*") || strings.HasPrefix(fields[4], "*")
	for i, text := range fields {
		if problem := fieldRules[i].parse(&c, text); problem != "" {
			return c, problem
		}
	}
	return c, c.neverProblem()
}

func named(name string) (fields, problem string) {
	switch fields, ok := names[name]; {
	case ok:
		return fields, ""
	case name == "@reboot":
		return "", "it names no time at which a report could be expected; write when the job runs"
	default:
		return "", "it is not known; allowed are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually"
	}
}

func countProblem(fields int) string {
	const order = "minute, hour, day of month, month and day of week"
	switch {
	case fields == 5:
		return ""
	case fields == 0:
		return "it is blank; write " + order + ", such as 30 4 * * *"
	case fields == 6:
		return "it has six fields; leave out the seconds and write " + order
	default:
		return "it needs five fields: " + order
	}
}

// neverProblem says why the schedule never comes, if so.
func (c Schedule) neverProblem() string {
	// Any 40 years have every date on every weekday that it can have.
	if !c.Next(time.Unix(0, 0), time.UTC).IsZero() {
		return ""
	}
	if least := bits.TrailingZeros64(c.days); !c.lastDay && least > c.longestMonth() {
		return fmt.Sprintf("it never happens: no month that it names has a day %d", least)
	}
	return "it never happens: its days of the month never fall on its days of the week"
}

// longestMonth is how many days the longest month of the schedule has, 29 February among them.
func (c Schedule) longestMonth() (days int) {
	for m := time.January; m <= time.December; m++ {
		if c.months>>m&1 == 1 {
			days = max(days, daysIn(2000, m))
		}
	}
	return days
}
