package sett

import "time"

// UndoFor is how long what somebody did to faults can be taken back in one go.
const UndoFor = 10 * time.Minute

// CheckUndo returns an error unless what was done at a time can be taken back: resolving or ignoring, a short while ago.
func CheckUndo(event CommentEvent, at, now time.Time) error {
	switch {
	case event != ResolvedEvent && event != IgnoredEvent:
		return Refuse("what", "must be resolved or ignored: nothing else can be undone")
	case now.Sub(at) > UndoFor:
		return Errorf(Conflict, "This was too long ago to be undone in one step. Find the errors in the tab Resolved or Ignored, and reopen them there.")
	}
	return nil
}

// Undo returns the state that a fault had before somebody resolved or ignored it; pending says that the next deploy was to
// resolve it then.
func (s FaultState) Undo(event CommentEvent, pending bool) FaultState {
	switch event {
	case ResolvedEvent:
		s.Resolved = false
	case IgnoredEvent:
		s.Ignored = false
	}
	s.ResolveOnDeploy = s.ResolveOnDeploy || pending && !s.Resolved && !s.Ignored
	return s
}
