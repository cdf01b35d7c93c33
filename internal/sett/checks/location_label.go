package checks

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// LocationLabels are the names that people see instead of those of the contract, which the API keeps.
type LocationLabels map[Location]string

// OwnLocation is the label of a server's own location unless the operator gives it another.
const OwnLocation = "This server"

// maxLocationLabel is how many characters a label has at most: it stands in lists and beside charts.
const maxLocationLabel = 40

// Of returns the label of a location: its name where it has none.
func (labels LocationLabels) Of(l Location) string {
	if label := labels[l]; label != "" {
		return label
	}
	return string(l)
}

// Within returns the label of a location for the middle of a sentence.
func (labels LocationLabels) Within(l Location) string {
	if label := labels.Of(l); label != OwnLocation {
		return label
	}
	return "this server"
}

// With returns the labels of a server that checks from own, "" for none.
func (labels LocationLabels) With(own Location) LocationLabels {
	all := LocationLabels{}
	if own != "" {
		all[own] = OwnLocation
	}
	for l, label := range labels {
		all[l] = label
	}
	return all
}

// ParseLocationLabels reads labels such as Virginia=Berlin, separated by commas. The error is a phrase that follows the text.
func ParseLocationLabels(text string) (labels LocationLabels, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, label, _ := strings.Cut(part, "=")
		l, err := ParseLocation(strings.TrimSpace(name))
		if label = strings.TrimSpace(label); err != nil || label == "" {
			return nil, fmt.Errorf("has %q; write a location and its label, such as Virginia=Berlin, separated by commas; locations are %s", part, locationNames())
		}
		if utf8.RuneCountInString(label) > maxLocationLabel {
			return nil, fmt.Errorf("has a label of more than %d characters, %q", maxLocationLabel, label)
		}
		if labels == nil {
			labels = LocationLabels{}
		}
		labels[l] = label
	}
	return labels, nil
}
