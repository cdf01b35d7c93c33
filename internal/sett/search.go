package sett

import (
	"time"

	"sett/internal/event/query"
)

// ParseSearch reads a search as people type it; see query.Parse. The error is Invalid and says what is allowed.
func ParseSearch(q string, now time.Time) (query.Search, error) {
	var p Problems
	s := CheckSearch(&p, "q", q, now)
	return s, p.Refusal()
}

// CheckSearch reads a search like ParseSearch and notes what is wrong with it in a field.
func CheckSearch(p *Problems, field, q string, now time.Time) query.Search {
	s, problem := query.Parse(q, now)
	if problem != "" {
		p.Add(field, "%s", problem)
	}
	return s
}

// CheckTyped reads what is typed of a term of a search, and notes what is wrong with it under the name of its field.
func CheckTyped(p *Problems, field, text string) query.Typed {
	t, problem := query.ReadTyped(text)
	if problem != "" {
		p.Add(field, "%s", problem)
	}
	return t
}
