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
	status, text := "", false
	for _, a := range all {
		target := a.target()
		switch {
		case a.Kind == "statusCode" && a.Compare == "eq" && isStatus(target) && status == "":
			status = target
		case a.Kind == "statusCode" && (a.Compare == "lt" && target == "300" || a.Compare == "lte" && target == "299"),
			a.Kind == "statusCode" && (a.Compare == "gte" && target == "200" || a.Compare == "gt" && target == "199"): // as all that sett takes for good
		case a.Kind == "textBody" && a.Compare == "contains" && target != "" && !text:
			s.Match, s.Text, text = move.WithText, target, true
		case a.Kind == "textBody" && a.Compare == "not_contains" && target != "" && !text:
			s.Match, s.Text, text = move.WithoutIt, target, true
		default:
			words := strings.Join(strings.Fields(a.Kind+" "+a.Key+" "+a.Compare+" "+target), " ")
			left("sett has no condition like " + move.Line(words, 100) + ".")
		}
	}
	switch {
	case status != "" && !text:
		s.Match, s.Text = move.OneStatus, status
	case status != "" && status != "200":
		left("It wants the status " + status + " too; in sett one from 200 to 299.")
	}
}

func isStatus(text string) bool {
	return len(text) == 3 && text[0] >= '1' && text[0] <= '5' && strings.Trim(text, "0123456789") == ""
}
