package uptime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/web"
)

// explain adds the problems of an error to their fields. Problems are separated by the names of fields, because a sentence may
// contain semicolons.
func explain(fields web.Fields, err error) {
	e, ok := errors.AsType[*sett.Error](err)
	if !ok || e.Code != sett.Invalid {
		return
	}
	text, ok := strings.CutPrefix(e.Message, "Please correct: ")
	if !ok {
		return
	}
	var problems sett.Problems
	for _, part := range strings.Split(strings.TrimSuffix(text, "."), "; ") {
		if begins(fields, part) || len(problems) == 0 {
			problems = append(problems, part)
		} else {
			problems[len(problems)-1] += "; " + part
		}
	}
	for i, problem := range problems { // an item of a list is a line of its area
		if name, rest, ok := strings.Cut(problem, "["); ok && begins(fields, name+" ") {
			index, rest, _ := strings.Cut(rest, "]")
			n, _ := strconv.Atoi(index)
			problems[i] = fmt.Sprintf("%s in line %d %s", name, n+1, strings.TrimSpace(rest))
		}
	}
	fields.Explain(problems)
}

func begins(fields web.Fields, part string) bool {
	for _, f := range fields {
		if rest, ok := strings.CutPrefix(part, f.Name); ok && rest != "" && (rest[0] == ' ' || rest[0] == '[') {
			return true
		}
	}
	return false
}
