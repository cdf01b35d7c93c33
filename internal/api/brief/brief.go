// Package brief writes an error in the few thousand tokens that an agent reads: what happened and where, what changed before it, what else is
// like it, how often and for whom. In: what is stored about the error, for a reader who may see it. Out: Markdown in which each text that
// others reported or wrote stands between marks of base/fence. It is what the tool get_error, the export as Markdown and pages that are asked
// for text/markdown show. It decides nothing about who may read, and changes nothing.
package brief

import (
	"context"
	"slices"
	"strings"
	"time"

	"sett/internal/base/fence"
	"sett/internal/ingest/unminify"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/repo"
	"sett/internal/sett/stats"
	"sett/internal/store/faultdb"
	"sett/internal/store/releasedb"
	"sett/internal/store/sheet"
)

// The bounds of what is read.
const (
	mostSimilar = 4
	mostHistory = 30
	mostWritten = 3 // comments of people
	mostChanges = 2
	mostCommits = 2
	mostUsers   = 3
	mostTags    = 10
	mostFrames  = 60 // that are looked up in source maps
)

// Reader reads briefs.
type Reader struct {
	Sheets   *sheet.Store
	Faults   *faultdb.Store
	Releases *releasedb.Store
	Maps     *unminify.Maps
	BaseURL  string
}

// Brief is an error with one of its events.
type Brief struct {
	BaseURL string // where people reach the server; "" leaves the page out
	Fault   faults.Fault
	Notice  *faults.Notice // nil: none is stored any longer, or see Away
	Away    string         // why the event cannot be read now; ""
	Paused  bool

	Before  *faults.Deploy // the last deploy before the first event; nil: none that may have caused it
	Commits []release.Commit
	Fixes   []repo.Fix    // changes and commits about it
	Suspect *repo.Finding // nil: none was looked for
	Similar []faults.Fault
	History []faults.Comment // the newest last

	Counted          bool // the figures of days and users are known
	Today, Yesterday int64
	Users            []faultdb.AffectedUser
	AllUsers         int64
}

// Read returns the brief of an error for a user who may see it; notice is the public id of an event, or "" for the newest.
func (r Reader) Read(ctx context.Context, now time.Time, userID, projectID, faultID int64, notice string) (b Brief, err error) {
	s, err := r.Sheets.OfFault(ctx, now, sheet.FaultAsk{SheetAsk: faultdb.SheetAsk{
		ProjectID: projectID, FaultID: faultID, UserID: userID, Notice: notice, Period: stats.PastDay, History: sett.Page{Size: mostHistory, Back: true}, Similar: mostSimilar,
	}})
	if err != nil {
		return b, err
	}
	b = Brief{
		BaseURL: r.BaseURL, Fault: s.Fault, Paused: s.Fault.Paused(now, s.Fault.NoticesCount), Notice: s.Notice, Away: s.Away,
		Before: s.Before, Fixes: s.Fixes, Suspect: s.Suspect, Similar: s.Similar, History: s.History, Counted: true, Today: s.Today, Yesterday: s.Yesterday,
	}
	if b.Before != nil && b.Before.CreatedAt.After(b.Fault.CreatedAt) {
		b.Before = nil
	}
	if b.Before != nil && b.Before.Revision != "" {
		if b.Commits, err = r.Releases.Commits(ctx, projectID, b.Before.Revision); err != nil {
			return b, err
		}
	}
	if b.Users, b.AllUsers, err = r.Faults.FewAffectedUsers(ctx, projectID, faultID, mostUsers); err != nil {
		return b, err
	}
	return b, r.unminify(ctx, &b)
}

// unminify replaces the frames of the event by those of the original code.
func (r Reader) unminify(ctx context.Context, b *Brief) (err error) {
	if b.Notice == nil {
		return nil
	}
	n := *b.Notice
	lookup := r.Maps.Lookup(unminify.BuildOf(n.ProjectID, n.Payload))
	if n.Backtrace, _, err = lookup.Backtrace(ctx, n.Backtrace, mostFrames); err == nil {
		b.Notice = &n
	}
	return err
}

// Text returns a brief as one answer.
func (b Brief) Text() string {
	w := fence.New()
	b.Write(w)
	return w.Text()
}

// Write writes a brief of at most 14,000 bytes.
func (b Brief) Write(w *fence.Writer) {
	b.writeHead(w)
	b.writeFixes(w)
	b.writeChange(w)
	b.writeSuspect(w)
	if b.Notice != nil {
		writeTrace(w, b.Notice.Payload)
		writeRequest(w, b.Notice)
		writeBreadcrumbs(w, b.Notice.Breadcrumbs)
	}
	b.writeSimilar(w)
	b.writeHistory(w)
}

// fact writes a line with a text of others, unless it is empty.
func fact(w *fence.Writer, name fence.Words, by fence.Origin, text string, most int) {
	if text == "" {
		return
	}
	w.Say("- %: ", fence.Known(name))
	w.Quote(by, text, most)
	w.Say("\n")
}

// State returns the state of an error.
func State(s faults.FaultState, paused bool) fence.Words {
	switch {
	case s.Ignored:
		return "ignored"
	case s.Resolved:
		return "resolved"
	case paused:
		return "paused"
	case s.ResolveOnDeploy:
		return "resolves on the next deploy"
	default:
		return "unresolved"
	}
}

func (b Brief) writeHead(w *fence.Writer) {
	f := b.Fault
	w.Say("# Error % of project %\n\n- State: %\n", fence.Count(f.ID), fence.Count(f.ProjectID), fence.Known(State(f.FaultState, b.Paused)))
	fact(w, "Resolved in release", fence.Reporter, f.ResolvedIn, 255)
	w.Say("- Events: %, first %, last %\n", fence.Count(f.NoticesCount), fence.At(f.CreatedAt), fence.At(f.LastNoticeAt))
	if b.Counted {
		w.Say("- Events of the last 24 hours: %; of the 24 hours before: %\n", fence.Count(b.Today), fence.Count(b.Yesterday))
		w.Say("- Affected users: %%\n", fence.Count(b.AllUsers), fence.Known(orMore(b.AllUsers)))
	}
	for _, u := range b.Users[:min(len(b.Users), mostUsers)] {
		w.Say("  - % events: ", fence.Count(u.Count))
		w.Quote(fence.Reporter, u.User, 60)
		w.Say("\n")
	}
	if b.BaseURL != "" {
		w.Say("- Page: %\n", fence.Page(b.BaseURL, "/projects/%/faults/%", fence.Count(f.ProjectID), fence.Count(f.ID)))
	}
	if f.Assignee != nil {
		fact(w, "Assigned to", fence.Person, f.Assignee.Name+" "+f.Assignee.Email, 120)
	}
	message, class := f.Message, f.Class
	if b.Notice != nil {
		w.Say("- The event below was received at %\n", fence.At(b.Notice.CreatedAt()))
		message, class = b.Notice.Message, b.Notice.Class
	}
	fact(w, "Class", fence.Reporter, class, 200)
	fact(w, "Environment", fence.Reporter, f.Environment, 80)
	fact(w, "Component", fence.Reporter, f.Component, 150)
	fact(w, "Action", fence.Reporter, f.Action, 150)
	fact(w, "Tags", fence.Reporter, strings.Join(f.Tags[:min(len(f.Tags), mostTags)], ", "), 200)
	w.Say("- Message: ")
	w.Block(fence.Reporter, message, 1000)
	w.Say("\n")
	if b.Away != "" {
		w.Say("- The event cannot be read now. Try again later.\n")
	}
}

// orMore says that there may be more users than were counted.
func orMore(users int64) fence.Words {
	if users > faultdb.MostUsersAtOnce {
		return " or more"
	}
	return ""
}

func (b Brief) writeChange(w *fence.Writer) {
	d := b.Before
	if d == nil {
		return
	}
	w.Say("\n## What changed before the first event\n\nDeploy % at %, which is % minutes before.\n",
		fence.Count(d.ID), fence.At(d.CreatedAt), fence.Count(int64(b.Fault.CreatedAt.Sub(d.CreatedAt)/time.Minute)))
	fact(w, "Revision", fence.Reporter, d.Revision, 80)
	fact(w, "Deployed by", fence.Reporter, d.LocalUsername, 80)
	fact(w, "Comparison", fence.Reporter, d.CompareURL(), 200)
	for _, c := range b.Commits[:min(len(b.Commits), mostCommits)] {
		fact(w, "Commit", fence.Reporter, c.SHA+" "+c.Message+" ("+c.Author+")", 180)
	}
}

func (b Brief) writeSimilar(w *fence.Writer) {
	if len(b.Similar) == 0 {
		return
	}
	w.Say("\n## Similar errors\n\n")
	for _, f := range b.Similar[:min(len(b.Similar), mostSimilar)] {
		w.Say("- Error %, % events, %: ", fence.Count(f.ID), fence.Count(f.NoticesCount), fence.Known(State(f.FaultState, false)))
		w.Quote(fence.Reporter, f.Class+": "+f.Message, 110)
		w.Say("\n")
	}
}

func (b Brief) writeHistory(w *fence.Writer) {
	if len(b.History) == 0 {
		return
	}
	w.Say("\n## History\n\n")
	for _, c := range worth(b.History) {
		by := fence.Reporter
		if c.IsOfUser() { // what else happened names revisions of events, and people of trackers
			by = fence.Person
		}
		w.Say("- %: ", fence.At(c.CreatedAt))
		w.Quote(by, string(c.Event)+" "+c.Author+" "+c.Revision+": "+c.Body, 160)
		w.Say("\n")
	}
}

// worth returns the newest comments of a history, and a few of the changes beside them.
func worth(history []faults.Comment) (kept []faults.Comment) {
	written, changes := mostWritten, mostChanges
	for _, c := range slices.Backward(history) {
		left := &written
		if c.Event != "" {
			left = &changes
		}
		if *left--; *left >= 0 {
			kept = append(kept, c)
		}
	}
	slices.Reverse(kept)
	return kept
}
