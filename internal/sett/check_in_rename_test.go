package sett

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRenamesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		renames []CheckInRename
		refused []int
	}{
		"nothing":                    {nil, nil},
		"a swap":                     {[]CheckInRename{{"A", "B", false}, {"B", "A", false}}, nil},
		"a ring":                     {[]CheckInRename{{"A", "B", false}, {"B", "C", false}, {"C", "A", false}}, nil},
		"no names":                   {[]CheckInRename{{"", "", false}, {"A", "", false}, {"", "", true}, {"B", "", false}}, nil},
		"a name that is given up":    {[]CheckInRename{{"", "A", false}, {"A", "", false}}, nil},
		"the first of two":           {[]CheckInRename{{"", "A", false}, {"", "A", false}}, []int{1}},
		"after one that keeps it":    {[]CheckInRename{{"", "A", false}, {"A", "A", false}}, []int{0}},
		"of one that stays":          {[]CheckInRename{{"", "A", false}, {"A", "", true}}, []int{0}},
		"one refused, another too":   {[]CheckInRename{{"A", "B", false}, {"B", "C", false}, {"C", "", true}}, []int{0, 1}},
		"whoever comes before":       {[]CheckInRename{{"B", "C", false}, {"A", "B", false}, {"D", "A", false}, {"C", "C", false}}, []int{0, 1, 2}},
		"a new one is refused later": {[]CheckInRename{{"", "B", false}, {"B", "C", false}, {"C", "C", false}}, []int{0, 1}},
	} {
		for i, refused := range RefuseRenames(tt.renames) {
			if refused != slices.Contains(tt.refused, i) {
				t.Errorf("%s: %d is refused: %t", name, i, refused)
			}
		}
	}
}

// In the end all names differ, what stays stays, and nobody is refused a name that is free then.
func TestRenamesEndWithNamesThatDiffer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"", "A", "B", "C", "D", "E", "F"})
		var renames []CheckInRename
		has := map[string]bool{}
		for range rapid.IntRange(0, 8).Draw(t, "check-ins") {
			r := CheckInRename{names.Draw(t, "has"), names.Draw(t, "wants"), rapid.IntRange(0, 4).Draw(t, "stays") == 0}
			if has[r.Has] {
				r.Has = ""
			}
			has[r.Has] = true
			renames = append(renames, r)
		}
		end := map[string]bool{}
		refused := RefuseRenames(renames)
		for i, r := range renames {
			name := r.Wants
			if r.Stays || refused[i] {
				name = r.Has
			}
			if name != "" && end[name] {
				t.Fatalf("%v, refused %v: two are named %s", renames, refused, name)
			}
			end[name] = true
		}
		for i, r := range renames {
			if refused[i] && (r.Stays || !end[r.Wants]) {
				t.Fatalf("%v: %d was refused what nobody has", renames, i)
			}
		}
	})
}
