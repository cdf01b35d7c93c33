package cron

import (
	"fmt"
	"regexp"
	"strings"
)

// offset is a time zone that is written as hours from UTC, such as GMT+2, UTC-05:00 or +0530. In names of IANA's the sign means
// the opposite: Etc/GMT-2 is two hours ahead.
var offset = regexp.MustCompile(`(?i)^(?:etc/)?(?:gmt|utc|ut|z)? ?([+-])0?(\d{1,2})(?::?(\d\d))?$`)

// offsetAdvice names the zone with an offset; "" where none is written.
func offsetAdvice(name string) string {
	parts := offset.FindStringSubmatch(name)
	if parts == nil {
		return ""
	}
	sign, hours, minutes := parts[1], parts[2], parts[3]
	posix := strings.HasPrefix(strings.ToLower(name), "etc/gmt")
	zone := "Etc/GMT" + map[bool]string{true: "+", false: "-"}[(sign == "+") == posix] + hours
	switch {
	case minutes != "" && minutes != "00":
		return "write the name of a city with that time, such as Asia/Kolkata for +05:30"
	case hours == "0":
		return "did you mean UTC?"
	case !isZone(zone):
		return "write a name of IANA's such as Europe/Berlin: no zone has that offset"
	}
	direction := map[bool]string{true: "ahead of", false: "behind"}[zone[len("Etc/GMT")] == '-']
	unit := map[bool]string{true: "hour", false: "hours"}[hours == "1"]
	return fmt.Sprintf("did you mean %s, which is %s %s %s UTC all year? A city such as Europe/Berlin follows daylight saving time", zone, hours, unit, direction)
}

// shortNames are abbreviations that are in no list of IANA's, with the zone that most people mean.
var shortNames = map[string]string{
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "MDT": "America/Denver", "CST": "America/Chicago", "CDT": "America/Chicago",
	"EDT": "America/New_York", "BST": "Europe/London", "WEST": "Europe/Lisbon", "CEST": "Europe/Berlin", "EEST": "Europe/Athens",
	"MSK": "Europe/Moscow", "IST": "Asia/Kolkata", "SGT": "Asia/Singapore", "HKT": "Asia/Hong_Kong", "JST": "Asia/Tokyo", "KST": "Asia/Seoul",
	"AEST": "Australia/Sydney", "AEDT": "Australia/Sydney", "AWST": "Australia/Perth", "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland",
}

var abbreviation = regexp.MustCompile(`^[A-Z]{2,4}T$`)

// isShortName reports whether a name looks like an abbreviation. What differs from one in a letter is often far away, as EST is
// from PST.
func isShortName(name string) bool { return abbreviation.MatchString(name) || shortNames[name] != "" }

func shortAdvice(name, form string) string {
	if zone := shortNames[name]; zone != "" {
		return "did you mean " + zone + "?"
	}
	return form
}
