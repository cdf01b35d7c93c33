package fault

import (
	"fmt"
	"net/http"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/web"
)

// suspect is the release that probably brought an error.
type suspect struct {
	Release named
	Deploy  string // path of its deploy
	Span    string // from the deploy to the first event
	Compare string // address of what it changed; "" if that is unknown
	Commits []release.Commit
	Fewer   int // commits that are not shown
}

// mostSuspects is how many commits of a suspect release are shown: the newest.
const mostSuspects = 3

// readSuspect reads the suspect release of the fault, if the last deploy before its first event is one.
func (p *pages) readSuspect(r *http.Request, v *faultView, d *faults.Deploy) (err error) {
	if d == nil || !d.Suspect(v.Fault.CreatedAt, v.First.Revision) {
		return nil
	}
	revision := orWord(d.Revision, v.First.Revision)
	found := &suspect{
		Release: namedRelease(d.ProjectID, revision), Deploy: fmt.Sprintf("/projects/%d/deploys/%d", d.ProjectID, d.ID), Compare: d.CompareURL(),
		Span: web.Span(wholeSeconds(v.Fault.CreatedAt.Sub(d.CreatedAt))),
	}
	if found.Commits, err = p.Releases.Commits(r.Context(), d.ProjectID, revision); len(found.Commits) > mostSuspects {
		found.Commits, found.Fewer = found.Commits[:mostSuspects], len(found.Commits)-mostSuspects
	}
	v.Suspect = found
	return err
}

// wholeSeconds leaves out the part of a second of what takes longer.
func wholeSeconds(d time.Duration) time.Duration {
	if d < time.Second {
		return d
	}
	return d.Truncate(time.Second)
}
