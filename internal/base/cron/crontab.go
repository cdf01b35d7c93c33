package cron

import (
	"regexp"
	"strings"

	"sett/internal/base/phrase"
)

// setting is what may stand before a schedule, such as TZ=Europe/Berlin.
var setting = regexp.MustCompile(`^([A-Za-z_]+)=(.*)$`)

// lineProblem says what to remove of a line of a crontab, which has more than a schedule: settings before it, and a user or a
// command behind it.
func lineProblem(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	if parts := setting.FindStringSubmatch(fields[0]); parts != nil {
		return settingProblem(fields[0], parts[1], strings.Trim(parts[2], `"'`))
	}
	own := 5
	if strings.HasPrefix(fields[0], "@") {
		own = 1
	}
	if len(fields) <= own || own == 5 && fieldRules[4].parse(new(Schedule), fields[5]) == "" { // which has seconds, or a year
		return ""
	}
	if _, problem := parse(strings.Join(fields[:own], " ")); problem != "" {
		return ""
	}
	return "remove " + phrase.Quote(strings.Join(fields[own:], " ")) + ": a schedule has neither a user nor a command"
}

func settingProblem(text, name, value string) string {
	if name == "TZ" || name == "CRON_TZ" {
		return "remove " + phrase.Quote(text) + ", and set the time zone to " + phrase.Quote(value)
	}
	return "remove " + phrase.Quote(text) + ": a schedule begins with its minutes"
}
