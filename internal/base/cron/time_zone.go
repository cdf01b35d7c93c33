package cron

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for machines that have no time zones of their own

	"sett/internal/base/phrase"
)

// zoneNames are the names of IANA's time zones, one a line: those of Go's own data, without Factory.
//
//go:embed time_zones.txt
var zoneNames string

// A name of so many bytes is compared with those that exist: a shorter one is near all short ones, a longer one near
// none.
const shortestZone, longestZone = 3, 64

// zones keeps those that were asked for, by their names: each is read from a file, and pings ask again and again. What is
// in it never changes, and only names of IANA's and of Rails come in.
var zones sync.Map // string → *time.Location

// TimeZone returns the zone with a name of IANA's, such as Europe/Berlin, or of Rails, such as Eastern Time (US &
// Canada); "" is UTC. The message of its error begins with the name, so that it can follow the name of a field.
//
// The rules of a zone are those that the machine had when it was first asked for, or Go's own where it has none.
func TimeZone(name string) (*time.Location, error) {
	zone, ok := FindTimeZone(name)
	if !ok {
		return nil, fmt.Errorf("%s is no time zone; %s", phrase.Quote(name), zoneAdvice(name))
	}
	return zone, nil
}

// FindTimeZone is TimeZone for a name that was checked before, without an error that says what is wrong with it.
func FindTimeZone(name string) (zone *time.Location, ok bool) {
	if name == "" {
		return time.UTC, true
	}
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), true
	}
	if zone, ok = loadZone(name); !ok {
		return nil, false
	}
	kept, _ := zones.LoadOrStore(strings.Clone(name), zone)
	return kept.(*time.Location), true
}

func loadZone(name string) (zone *time.Location, ok bool) {
	if zone, ok := railsZones[name]; ok && !isZone(name) {
		name = zone
	}
	if !isZone(name) {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}

// ZoneNames returns the names of IANA's time zones, in their order.
func ZoneNames() []string { return strings.Fields(zoneNames) }

// isZone reports whether IANA has a zone with the name. Names of files that a machine keeps beside, and paths, are none.
func isZone(name string) bool {
	return !strings.Contains(name, "\n") && strings.Contains("\n"+zoneNames, "\n"+name+"\n")
}

// zoneAdvice names the zone that was most likely meant, or how such names look.
func zoneAdvice(name string) string {
	const form = "write a name of IANA's such as Europe/Berlin or America/New_York"
	if len(name) < shortestZone || len(name) > longestZone {
		return form
	}
	if advice := offsetAdvice(name); advice != "" {
		return advice
	}
	if isShortName(name) {
		return shortAdvice(name, form)
	}
	known := slices.Concat(strings.Fields(zoneNames), slices.Sorted(maps.Keys(railsZones)))
	for _, zone := range known {
		if city := zone[strings.LastIndex(zone, "/")+1:]; strings.EqualFold(strings.ReplaceAll(city, "_", " "), name) {
			return "did you mean " + zone + "?"
		}
	}
	if near, ok := phrase.Nearest(name, known); ok {
		return "did you mean " + near + "?"
	}
	return form
}
