package web

import (
	"regexp"
	"strings"

	"sett/internal/sett"
)

// The API names its fields in what it says of them, and JSON's values. Pages show the same problems with the labels of their forms.
var (
	apiName = regexp.MustCompile(`\b(?:options\.)?[a-z]+(?:_[a-z]+)+\b|\boptions\.[a-z]+\b`)
	apiNoun = regexp.MustCompile(`\b(an? )?([Ff]ault|[Nn]otice|[Ii]ntegration)(s?)\b`)
	apiList = regexp.MustCompile(`\b(some|one) of [^;]*\b[a-z]+_[a-z]+.*`) // of values that a page shows under labels
	apiNull = strings.NewReplacer(", or null", ", or empty", "; null removes it", "", "; null resets it", "")
)

// pageNouns are the words of pages for nouns of the API (docs/words.md).
var pageNouns = strings.NewReplacer("a fault", "an error", "a notice", "an event", "an integration", "a channel", "fault", "error", "notice", "event", "integration", "channel", "Fault", "Error", "Notice", "Event", "Integration", "Channel")

// plainProblem returns a problem of a field in the words of a form; labels are those of its fields, by name.
func plainProblem(problem string, labels map[string]string) string {
	problem = apiList.ReplaceAllString(problem, "$1 of those listed")
	problem = apiName.ReplaceAllStringFunc(problem, func(name string) string {
		if label := labels[name]; label != "" {
			return label
		}
		return strings.ReplaceAll(strings.TrimPrefix(name, "options."), "_", " ")
	})
	return apiNull.Replace(apiNoun.ReplaceAllStringFunc(problem, pageNouns.Replace))
}

// PlainProblem returns a problem that is shown beside no field of its form in the words of pages.
func PlainProblem(problem string) string { return plainProblem(problem, nil) }

// refusal is how a message begins that lists problems of fields.
const refusal = "Please correct: "

// PlainMessage returns a message of the API in the words of pages.
func PlainMessage(message string) string {
	if strings.HasPrefix(message, refusal) {
		return plainProblem(message, nil)
	}
	return apiNoun.ReplaceAllStringFunc(message, pageNouns.Replace)
}

// refusedText returns what a page says above a form that was refused.
func refusedText(err error, e *sett.Error) string {
	problems := sett.ProblemsOf(err)
	if len(problems) == 0 {
		return PlainMessage(e.Message)
	}
	said := make([]string, len(problems))
	for i, problem := range problems {
		said[i] = plainProblem(problem, nil)
	}
	return refusal + strings.Join(said, "; ") + "."
}
