package directory

import (
	"slices"
	"strings"

	"sett/internal/sett"
)

// MostClaimed is how many groups of a person a sign-in may name. Directories cut their lists earlier: Entra ID after 150.
const MostClaimed = 1000

// TooManyGroups says what to do about a sign-in without the groups that it should have.
const TooManyGroups = "The identity provider did not send the groups, because there are too many. Roles and teams stay as they are. Let it send only the groups that are assigned to sett."

// Claimed returns the names of groups that a sign-in names, sorted. What is no name of a group is left out. ok is false if there are too many.
func Claimed(values []string) (names []string, ok bool) {
	names = []string{}
	for _, name := range values {
		name = strings.TrimSpace(name)
		var problems sett.Problems
		if sett.CheckText(&problems, "group", name, LongestText); name != "" && len(problems) == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names, len(names) <= MostClaimed
}
