package brief

import (
	"slices"

	"sett/internal/base/fence"
	"sett/internal/sett/repo"
)

const mostFixes = 3

// writeFixes says which changes and commits are about the error. One that is open comes first: an agent must not start a second.
func (b Brief) writeFixes(w *fence.Writer) {
	if len(b.Fixes) == 0 {
		return
	}
	w.Say("\n## Changes about this error\n\n")
	if slices.ContainsFunc(b.Fixes, repo.Fix.IsOpen) {
		w.Say("A change for this error is open: do not start another one.\n\n")
	}
	for _, f := range b.Fixes[:min(len(b.Fixes), mostFixes)] {
		w.Say("- %", fence.Known(kindOf(f)))
		if f.Number > 0 {
			w.Say(" %", fence.Count(f.Number))
		}
		w.Say(": ")
		w.Quote(fence.Reporter, f.Standing()+"; "+f.Title+" ("+f.Author+") "+f.URL, 170)
		w.Say("\n")
	}
}

func kindOf(f repo.Fix) fence.Words {
	switch {
	case f.Number == 0 && f.Fixes:
		return "Commit that fixes it"
	case f.Number == 0:
		return "Commit"
	case f.Fixes:
		return "Pull request that fixes it,"
	default:
		return "Pull request"
	}
}

// writeSuspect says which commit the error most likely came from, or why none is known.
func (b Brief) writeSuspect(w *fence.Writer) {
	s := b.Suspect
	if s == nil {
		return
	}
	w.Say("\n## Suspect commit\n\n")
	if s.Outcome == repo.Found {
		c := s.Commit
		fact(w, "Commit", fence.Reporter, c.SHA+" "+c.Message+" ("+c.Author+")", 150)
		fact(w, "Address", fence.Reporter, c.URL, 120)
		if s.Change > 0 {
			w.Say("- Pull request that brought it: %\n", fence.Count(s.Change))
		}
	} else {
		w.Say("- None is known.\n")
	}
	fact(w, "Why", fence.Reporter, s.Why, 200)
}
