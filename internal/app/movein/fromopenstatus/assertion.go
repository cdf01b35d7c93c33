package fromopenstatus

import (
	"fmt"
	"strings"

	"sett/internal/sett/move"
)

// assertion is what a check wants to see.
type assertion struct {
	Kind    string `yaml:"kind"`
	Compare string `yaml:"compare"`
	Target  any    `yaml:"target"`
	Key     string `yaml:"key"` // of a header
}

func (a assertion) target() string {
	if a.Target == nil {
		return ""
	}
	return fmt.Sprint(a.Target)
}

// judge says what a check wants to see. sett has one status, those from 200 to 299, or a text of the page; the rest is named.
// A monitor without assertions wants a status from 200 to 299.
func judge(s *move.Site, all []assertion, left func(string)) {
	status := ""
	for _, a := range all {
		known := false
		switch a.Kind {
		case "statusCode":
			known = a.status(&status)
		case "textBody":
			known = a.text(s)
		}
		if !known {
			words := strings.Join(strings.Fields(a.Kind+" "+a.Key+" "+a.Compare+" "+a.target()), " ")
			left("sett has no condition like " + move.Line(words, 100) + ".")
		}
	}
	switch {
	case status != "" && s.Match == move.AnySuccess:
		s.Match, s.Text = move.OneStatus, status
	case status != "" && status != "200":
		left("It wants the status " + status + " too; in sett one from 200 to 299.")
	}
}

// status takes over which status is wanted, if it is one, or if all that sett takes for good are.
func (a assertion) status(wanted *string) bool {
	target := a.target()
	switch a.Compare {
	case "eq":
		if *wanted != "" || !isStatus(target) {
			return false
		}
		*wanted = target
		return true
	case "lt":
		return target == "300"
	case "lte":
		return target == "299"
	case "gt":
		return target == "199"
	case "gte":
		return target == "200"
	}
	return false
}

// text takes over which text is wanted, or is not; a site has one.
func (a assertion) text(s *move.Site) bool {
	target := a.target()
	if target == "" || s.Match != move.AnySuccess {
		return false
	}
	switch a.Compare {
	case "contains":
		s.Match, s.Text = move.WithText, target
	case "not_contains":
		s.Match, s.Text = move.WithoutIt, target
	default:
		return false
	}
	return true
}

func isStatus(text string) bool {
	return len(text) == 3 && text[0] >= '1' && text[0] <= '5' && strings.Trim(text, "0123456789") == ""
}
