package regroup

import "sett/internal/sett"

// GroupingChange is the body of an update of the grouping rules of a project.
type GroupingChange struct {
	Rules sett.Optional[string] `json:"rules,omitzero" doc:"One rule per line, which joins or splits errors from now on. * stands for any text; the last rule that matches decides."`
}

// Apply returns the rules after the change, or an Invalid error.
func (c GroupingChange) Apply(have string) (string, error) {
	var p sett.Problems
	sett.SetField(&p, "rules", c.Rules, &have, "")
	return have, p.Refusal()
}
