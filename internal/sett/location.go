package sett

import (
	"fmt"
	"slices"
	"strings"
)

// Location is a place that sites are checked from.
type Location string

// The locations of the contract.
const (
	Virginia  Location = "Virginia"
	Oregon    Location = "Oregon"
	Frankfurt Location = "Frankfurt"
	Singapore Location = "Singapore"
	London    Location = "London"
)

// Locations returns every location there is, in the order of the contract.
func Locations() []Location { return []Location{Virginia, Oregon, Frankfurt, Singapore, London} }

// ParseLocation reads the name of a location. The error is a phrase that follows the name of what was read.
func ParseLocation(text string) (Location, error) {
	l := Location(text)
	if !slices.Contains(Locations(), l) {
		return "", fmt.Errorf("must be one of %s", locationNames())
	}
	return l, nil
}

func locationNames() string {
	var names []string
	for _, l := range Locations() {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// Lease returns the name of the lease whose holder checks from the location. While somebody holds it the location is
// live: only then do its verdicts count.
func (l Location) Lease() string { return locationLease + string(l) }

const locationLease = "location:"

// LeasedLocation is the inverse of Location.Lease; ok is false for the lease of anything else.
func LeasedLocation(lease string) (l Location, ok bool) {
	name, ok := strings.CutPrefix(lease, locationLease)
	return Location(name), ok
}
