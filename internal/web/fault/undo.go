package fault

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// undoable are the keys of messages with an undo button, with the event in the history.
var undoable = map[string]faults.CommentEvent{
	"resolved": faults.ResolvedEvent, "resolved_in": faults.ResolvedEvent, "resolved_next": faults.ResolvedEvent, "resolved_last": faults.ResolvedEvent, "ignored": faults.IgnoredEvent, "bulk_resolved": faults.ResolvedEvent, "bulk_ignored": faults.IgnoredEvent,
	"bulk_resolved_some": faults.ResolvedEvent, "bulk_ignored_some": faults.IgnoredEvent,
	"merged": faults.MergedEvent, "bulk_merged": faults.MergedEvent, "bulk_merged_some": faults.MergedEvent,
}

// doneAt redirects to a page that shows what was done. If it can be undone, the URL contains the time of the change.
func (p *pages) doneAt(w http.ResponseWriter, to, word string, at time.Time, anything bool) error {
	if key, _, _ := strings.Cut(word, "&"); undoable[key] != "" && anything {
		word += undoMark(at)
	}
	return p.Done(w, to, word)
}

// undoMark is the parameter of a URL that has a page undo the change at a time.
func undoMark(at time.Time) string { return "&undo=" + strconv.FormatInt(at.UnixMicro(), 10) }

// undoOf returns the form that undoes the change that led to a page; next is the path to redirect to.
func undoOf(r *http.Request, s web.Shell, next string) web.Undo {
	what, at := undoable[r.URL.Query().Get("done")], r.URL.Query().Get("undo")
	if what == "" || at == "" || web.Project(r) != 0 && !s.May(accounts.WorkFaults) {
		return web.Undo{}
	}
	return web.Undo{
		Path:   listPathIn(web.Project(r)) + "/undo",
		Fields: []web.Field{{Name: "what", Value: string(what)}, {Name: "at", Value: cut(at, 20)}, {Name: "next", Value: next}},
	}
}

// undo undoes a recent change. It only affects changes of the same user.
func (p *pages) undo(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	at, err := strconv.ParseInt(form.Get("at"), 10, 64)
	if err != nil {
		return sett.Refuse("at", "must be the time of the change, in microseconds since 1970")
	}
	parts, err := p.partsOf(r, bulk{all: true}, "undoFaults")
	if err != nil {
		return err
	}
	var done faultdb.BulkOutcome
	for _, part := range parts {
		some, err := p.Faults.UndoFaults(part.r.Context(), p.Now(), web.Who(r).User.ID, web.Project(part.r), faults.CommentEvent(form.Get("what")), time.UnixMicro(at))
		if err != nil {
			return err
		}
		done.Changed, done.Left = done.Changed+some.Changed, done.Left+some.Left
	}
	word := "undone"
	switch {
	case done.Left > 0:
		word = "undone_some"
	case done.Changed == 0:
		word = "undone_nothing"
	}
	list := listPathIn(web.Project(r))
	if next := web.LocalPath(form.Get("next")); strings.HasPrefix(next, list) {
		list = next
	}
	return p.Done(w, list, word)
}
