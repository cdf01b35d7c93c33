package repo

import (
	"fmt"
	"regexp"
	"slices"
	"time"
)

// oldest is how long before an error a commit may be that is a suspect because of a line.
const oldest = 365 * 24 * time.Hour

// Evidence is what is known of where an error may come from. What could not be read is named, so that nothing is concluded from it.
type Evidence struct {
	First  time.Time // event of the error
	Places []Place   // lines of its trace, innermost first
	Missed []Missed  // frames that are not found in the repository
	Lines  []Line    // who changed the lines of Places last, at the revision that was deployed

	Deploys  *Comparison // what the deploy of the first event brought; nil if there was none before it, or it is not known
	Problems []string    // what could not be read, as sentences: the tree, or the comparison of the deploys
}

// Line is what the host says of who changed a line last.
type Line struct {
	Place
	Blamed  []Blamed
	Problem string // why the host does not say, as a sentence; "" if it does
}

// Outcome is what the evidence leads to.
type Outcome string

// The outcomes. What could not be read is never a reason for None.
const (
	Found   Outcome = "found"
	None    Outcome = "none"
	Unknown Outcome = "unknown"
)

// Reason is why an outcome is what it is.
type Reason string

// The reasons: the first two are of suspects that are found.
const (
	ByLine     Reason = "line"        // it changed a line of the trace last
	ByFile     Reason = "file"        // it is new in this deploy and touches a file of the trace
	NoFrames   Reason = "no_frames"   // the error has no trace
	NotInTree  Reason = "not_in_tree" // no file of the trace is in the repository
	OldLines   Reason = "old_lines"   // the lines were changed more than a year before the error, and the deploy touches none of the files
	LaterLines Reason = "later_lines" // the lines were changed after the error, and the deploy touches none of the files
	Untouched  Reason = "untouched"   // the deploy touches none of the files
	NotRead    Reason = "not_read"    // see Suspect.Problems
)

// Suspect is the commit that an error most likely comes from.
type Suspect struct {
	Outcome  Outcome
	Reason   Reason
	Commit   Commit   // if it is found
	Place    Place    // that it changed: the line, or the file with the innermost line in it
	Problems []string // what could not be read, as sentences; with it, another commit may be more likely than one that is found
}

// Choose finds the commit that an error most likely comes from: the one that changed a line of the trace last, within a year and not after
// the first event; otherwise one of the deploy that touches a file of the trace, best that of the innermost frame, then the newest.
func Choose(e Evidence) Suspect {
	problems := slices.Clone(e.Problems)
	s, why, unread := byLine(e)
	problems = append(problems, unread...)
	if s == nil {
		s, unread = byFile(e)
		problems = append(problems, unread...)
	}
	for _, m := range e.Missed {
		if m.Why == Unseen {
			problems = append(problems, fmt.Sprintf("The list of files of the repository is incomplete, and %q is not among those that are known.", m.File))
		}
	}
	switch {
	case s != nil:
		s.Outcome, s.Problems = Found, problems
		return *s
	case len(problems) > 0:
		return Suspect{Outcome: Unknown, Reason: NotRead, Problems: problems}
	case len(e.Places) == 0 && len(e.Missed) == 0:
		return Suspect{Outcome: None, Reason: NoFrames}
	case len(e.Places) == 0:
		return Suspect{Outcome: None, Reason: NotInTree}
	}
	return Suspect{Outcome: None, Reason: why}
}

// byLine returns the newest commit that changed a line, or why there is none.
func byLine(e Evidence) (best *Suspect, why Reason, problems []string) {
	why = Untouched
	for _, l := range e.Lines {
		if l.Problem != "" {
			problems = append(problems, l.Problem)
			continue
		}
		i := slices.IndexFunc(l.Blamed, func(b Blamed) bool { return b.From <= l.Line && l.Line <= b.To })
		if i < 0 || l.Blamed[i].Commit.At.IsZero() {
			problems = append(problems, fmt.Sprintf("The host does not say who changed line %d of %s.", l.Line, l.Path))
			continue
		}
		switch c := l.Blamed[i].Commit; {
		case c.At.After(e.First):
			if why == Untouched {
				why = LaterLines
			}
		case c.At.Before(e.First.Add(-oldest)):
			why = OldLines
		case best == nil || c.At.After(best.Commit.At):
			best = &Suspect{Reason: ByLine, Commit: c, Place: l.Place}
		}
	}
	return best, why, problems
}

// byFile returns the commit of the deploy that touches the innermost file.
func byFile(e Evidence) (best *Suspect, problems []string) {
	if e.Deploys == nil {
		return nil, nil
	}
	if !e.Deploys.Complete {
		problems = append(problems, "The host lists only some of the commits of this deploy.")
	}
	unread := 0
	for _, c := range slices.Backward(e.Deploys.Commits) { // the newest first
		if c.Files == nil {
			unread++
			continue
		}
		i := slices.IndexFunc(e.Places, func(p Place) bool { return slices.Contains(c.Files, p.Path) })
		if i < 0 || c.At.After(e.First) {
			continue
		}
		frame := e.Places[i].Frame
		if best == nil || frame < best.Place.Frame || frame == best.Place.Frame && merges(best.Commit) && !merges(c) {
			best = &Suspect{Reason: ByFile, Commit: c, Place: e.Places[i]}
		}
	}
	if unread > 0 {
		problems = append(problems, fmt.Sprintf("The files of %d commits of this deploy are not known.", unread))
	}
	return best, problems
}

var mergeTitle = regexp.MustCompile(`^(?:Merge (?:pull request |branch |remote-tracking |tag |commit )|Merged in )`)

// merges reports whether a commit only brings others, by the title that hosts and git give it: those are better suspects.
func merges(c Commit) bool {
	return mergeTitle.MatchString(c.Message)
}

// Why says in a sentence how the suspect was chosen, or why there is none.
func (s Suspect) Why() string {
	switch s.Reason {
	case ByLine:
		return fmt.Sprintf("It changed line %d of %s last, %s.", s.Place.Line, s.Place.Path, ordinal(s.Place.Frame))
	case ByFile:
		return fmt.Sprintf("It is new in this deploy and changes %s, %s.", s.Place.Path, ordinal(s.Place.Frame))
	case NoFrames:
		return "The error has no stack trace."
	case NotInTree:
		return "No file of the stack trace is in the repository."
	case OldLines:
		return "All lines of the stack trace are older than a year, and this deploy changed none of its files."
	case LaterLines:
		return "The lines of the stack trace were changed after the error, and this deploy changed none of its files."
	case Untouched:
		return "This deploy changed no file of the stack trace."
	}
	return "Not everything could be read, so the commit is not known."
}

func ordinal(frame int) string {
	if frame == 0 {
		return "where the error happened"
	}
	return fmt.Sprintf("frame %d of the application", frame+1)
}
