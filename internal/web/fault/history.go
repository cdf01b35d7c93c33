package fault

import (
	"html/template"
	"net/http"
	"slices"
	"time"

	"sett/internal/base/markdown"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// entry is an entry of a fault's history: a comment or an event.
type entry struct {
	ID      int64
	Who     string
	At      time.Time
	Event   string        // a sentence; "" for a comment
	Named   revisionNamed // the revision in the sentence, if it has a page
	Written template.HTML // of a comment
	Said    string        // the text of feedback of a user of the application, in place of Written
	Mine    bool          // the user may delete it
	Body    string        // the source, for its author, who may edit it

	kind  faults.CommentEvent
	round string // what it repeats; "" for a comment
}

// mostEntries is how many entries of a history are shown at once.
const mostEntries = 100

// showHistory shows comments and events, the newest first.
func (v *faultView) showHistory(s *sheet.Fault, by accounts.Scope) {
	if s.Beside.Prev != "" {
		v.Earlier = v.address + v.Place.With("history", s.Beside.Prev) + "#history"
	}
	var entries []entry
	for _, c := range slices.Backward(s.History) {
		entries = append(entries, v.newEntry(c, by))
	}
	v.History = chaptersOf(entries)
}

// chapter is a part of a history: one entry, or many that repeat the same.
type chapter struct {
	Title   string // what they have in common; "" for one entry
	Entries []entry
}

// Last returns the newest entry.
func (c chapter) Last() entry { return c.Entries[0] }

// fewRepeated is how many entries in a row may repeat the same before they are folded.
const fewRepeated = 3

// chaptersOf folds entries that repeat the same in a row.
func chaptersOf(entries []entry) (all []chapter) {
	for len(entries) > 0 {
		n := 1
		for n < len(entries) && entries[0].round != "" && entries[n].round == entries[0].round {
			n++
		}
		if n > fewRepeated {
			all = append(all, chapter{entries[0].round + timesOf(entries[:n]), entries[:n]})
		} else {
			for _, e := range entries[:n] {
				all = append(all, chapter{"", []entry{e}})
			}
		}
		entries = entries[n:]
	}
	return all
}

// rounds are the events that repeat one another, and what they are called together.
var rounds = map[faults.CommentEvent]string{
	faults.ResolvedEvent: "Resolved and reopened", faults.ReopenedEvent: "Resolved and reopened", faults.UnresolvedEvent: "Resolved and reopened",
	faults.IgnoredEvent: "Ignored and restored", faults.UnignoredEvent: "Ignored and restored",
	faults.PausedEvent: "Paused and resumed", faults.UnpausedEvent: "Paused and resumed",
	faults.AssignedEvent: "Assignee changed", faults.UnassignedEvent: "Assignee changed",
	faults.TaggedEvent: "Tags changed", faults.UntaggedEvent: "Tags changed",
}

// undoing are the events that end a round.
var undoing = []faults.CommentEvent{faults.ReopenedEvent, faults.UnresolvedEvent, faults.UnignoredEvent, faults.UnpausedEvent}

// timesOf says how often entries of one round happened: those that begin it are counted, if others end it.
func timesOf(entries []entry) string {
	n := 0
	for _, e := range entries {
		if !slices.Contains(undoing, e.kind) {
			n++
		}
	}
	return " " + web.Count(int64(max(n, len(entries)-n)), "time")
}

func (v *faultView) newEntry(c faults.Comment, by accounts.Scope) entry {
	one := entry{ID: c.ID, Who: c.Author, At: c.CreatedAt}
	switch {
	case c.Event != "":
		one.Event, one.Named = c.Body, newRevisionNamed(v.Fault.ProjectID, c)
		one.kind, one.round = c.Event, rounds[c.Event]
		return one
	case c.Source == faults.FromUser, c.Source == faults.FromTracker: // by anyone: it gets no links
		one.Said = c.Body
	default:
		one.Written = markdown.Comment(c.Body)
	}
	if one.Mine = c.Changeable(v.User.ID, by) == nil; one.Mine && c.AuthorID == v.User.ID {
		one.Body = c.Body
	}
	return one
}

// revisionNamed is a revision in a sentence, with a link to its release.
type revisionNamed struct {
	Before string
	named
	After string
}

func newRevisionNamed(project int64, c faults.Comment) revisionNamed {
	before, after, ok := release.AroundRevision(c)
	if !ok {
		return revisionNamed{}
	}
	return revisionNamed{before, namedRelease(project, c.Revision), after}
}

func commentField(mail bool) web.Field {
	field := web.Field{Name: "body", Label: "Comment", Kind: "area", Lines: 4, Hint: "Markdown is supported."}
	if mail {
		field.Hint += " @name notifies a person by email."
	}
	return field
}

func (p *pages) addComment(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	body := form.Get("body")
	_, err = p.Faults.CreateComment(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), faults.CommentChange{Body: sett.Some(body)})
	if err != nil {
		return p.again(w, r, err, func(v *faultView, why string) { v.Comment.Value, v.Comment.Problem = body, why })
	}
	return p.Done(w, address(r), "commented")
}

func (p *pages) editComment(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := faults.CommentChange{Body: sett.Some(form.Get("body"))}
	err = p.Faults.UpdateComment(r.Context(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), web.PathID(r, "comment_id"), change)
	return p.changed(w, r, err, "comment_changed")
}

func (p *pages) removeComment(w http.ResponseWriter, r *http.Request) error {
	err := p.Faults.DeleteComment(r.Context(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), web.PathID(r, "comment_id"))
	return p.changed(w, r, err, "comment_deleted")
}
