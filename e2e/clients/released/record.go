// Package released looks at what released clients call. It takes the newest version of each from the registries, reads the addresses in its source, and
// says which of them a server lacks. What was found is kept in testdata/calls.txt, so that it is compared without a network too. It runs no client.
package released

import (
	"fmt"
	"slices"
	"strings"
)

// Call is an address that a version of a client calls.
type Call struct {
	Client, Version string
	Address
}

const recordHead = "# What released clients call, found in their source by make watch-clients. {} is filled in, and * is any method.\n"

// Format writes calls as a file.
func Format(all []Call) string {
	var b strings.Builder
	b.WriteString(recordHead)
	for _, c := range all {
		fmt.Fprintln(&b, c.Client, c.Version, c.Method, c.Path)
	}
	return b.String()
}

// Parse reads a file of calls.
func Parse(text string) (all []Call) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 4 && f[0] != "#" {
			all = append(all, Call{f[0], f[1], Address{f[2], f[3]}})
		}
	}
	return all
}

// Unserved lists the calls that no route answers.
func Unserved(calls []Call, routes []Address) (missing []Call) {
	for _, c := range calls {
		if !slices.ContainsFunc(routes, func(route Address) bool { return c.isAnsweredBy(route) }) {
			missing = append(missing, c)
		}
	}
	return missing
}

// isAnsweredBy compares part by part. What is filled in on one side fits to anything on the other. Where the source does not say the method, the
// address was found in a text, to which the code may add more: a longer route is enough.
func (a Address) isAnsweredBy(route Address) bool {
	mine, theirs := strings.Split(a.Path, "/"), strings.Split(strings.TrimSuffix(route.Path, "/"), "/")
	if a.Method == "*" && len(theirs) > len(mine) {
		theirs = theirs[:len(mine)]
	}
	if a.Method != "*" && a.Method != route.Method || len(mine) != len(theirs) {
		return false
	}
	for i := range mine {
		if mine[i] != theirs[i] && !strings.HasPrefix(mine[i], "{") && !strings.HasPrefix(theirs[i], "{") {
			return false
		}
	}
	return true
}
