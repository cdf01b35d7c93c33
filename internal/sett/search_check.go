package sett

import "time"

// ParseSearch reads a search as people type it; see Parse. The error is Invalid and says what is allowed.
func ParseSearch(q string, now time.Time) (Search, error) {
	var p Problems
	s := CheckSearch(&p, "q", q, now)
	return s, p.Refusal()
}

// CheckSearch reads a search like ParseSearch and notes what is wrong with it in a field.
func CheckSearch(p *Problems, field, q string, now time.Time) Search {
	s, problem := Parse(q, now)
	if problem != "" {
		p.Add(field, "%s", problem)
	}
	return s
}
