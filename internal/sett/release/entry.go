package release

import (
	"strings"

	"sett/internal/sett"
)

// What entries of a fault's history say before the revision that they name.
const (
	reopenedIn = "Reopened: it occurred again in "
	resolvedBy = "Resolved by the deploy of "
)

// ReopenedEntry records that a resolved fault occurred again, in a release if its revision is the version of one.
func ReopenedEntry(revision string) sett.Entry {
	if !IsVersion(revision) {
		return sett.Entry{Event: sett.ReopenedEvent, Body: "Reopened: it occurred again."}
	}
	return sett.Entry{Event: sett.ReopenedEvent, Revision: revision, Body: reopenedIn + revision + "."}
}

// DeployedEntry records that a deploy resolved the fault.
func DeployedEntry(d sett.Deploy) sett.Entry {
	e := sett.Entry{Event: sett.ResolvedEvent, Revision: d.Revision, Body: "Resolved by a deploy"}
	if d.Revision != "" {
		e.Body = resolvedBy + d.Revision
	}
	if d.Environment != "" {
		e.Body += " to " + d.Environment
	}
	e.Body += "."
	return e
}

// AroundRevision returns what an entry of a history says before and after its revision; false if it names none.
func AroundRevision(c sett.Comment) (before, after string, ok bool) {
	for _, before := range []string{reopenedIn, resolvedBy} {
		if after, ok := strings.CutPrefix(c.Body, before+c.Revision); ok && c.Revision != "" {
			return before, after, true
		}
	}
	return "", "", false
}
