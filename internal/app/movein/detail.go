package movein

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/progress"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
)

// details brings the events and comments of the errors of a project that are not complete, the last seen first: of those in a state, or in any ("").
func (r *run) details(ctx context.Context, p move.Project, projectID int64, in move.State) error {
	if r.DryRun {
		return nil
	}
	n, err := r.Moves.CountPending(ctx, r.from, projectID, in)
	if err != nil || n == 0 {
		return err
	}
	keyed, project, err := r.Moves.Keyed(ctx, projectID)
	if err != nil {
		return err
	}
	if keyed.SourceMaps && r.Code.Maps == nil {
		r.report.Leave(move.Left{
			Noun: mapsNoun, Name: p.Slug, Why: "Errors of minified code that came are known by their minified frames.", Page: move.GroupingPage,
		})
	}
	people, err := r.Moves.People(ctx, projectID)
	if err != nil {
		return err
	}
	d := detailer{run: r, of: p, project: project, people: people, read: newReader(keyed, r.Code)}
	step := progress.Begin(ctx, "reading events and comments of "+p.Slug, progress.Errors, n)
	defer step.End()
	for {
		all, err := r.Moves.Pending(ctx, r.from, projectID, in)
		if err != nil || len(all) == 0 {
			return err
		}
		for _, f := range all {
			if err := d.complete(ctx, f); err != nil {
				return fmt.Errorf("import error %s: %w", cmp.Or(f.Short, f.ID), err)
			}
			step.Add(1)
		}
	}
}

// detailer completes the errors of a project.
type detailer struct {
	*run
	of      move.Project
	project accounts.Project
	people  map[string]movedb.Person
	read    *reader
}

// complete brings the keys, events and comments of an error. Whatever of that is stored when it is cut off is found again by the next run.
func (d *detailer) complete(ctx context.Context, f movedb.Pending) error {
	detail, err := d.Source.Detail(ctx, d.of, f.Fault, d.Events)
	if err != nil {
		return err
	}
	d.report.Leave(detail.Left...)
	groupings, events, first := d.group(f, detail)
	others, err := d.Moves.Keys(ctx, d.Now(), d.project.ID, f.FaultID, groupings)
	if err != nil {
		return err
	}
	if d.read.original != nil { // an event whose map is not at hand is known by its minified frames; whose these are besides does not matter
		if _, err := d.Moves.Keys(ctx, d.Now(), d.project.ID, f.FaultID, d.minified(detail, groupings)); err != nil {
			return err
		}
	}
	if first != nil {
		if err := d.Moves.Describe(ctx, d.project.ID, f.FaultID, first); err != nil {
			return err
		}
	}
	for lot := range slices.Chunk(events, movedb.MostEvents) {
		made, err := d.Moves.Events(ctx, d.Now(), d.project.ID, lot)
		if err != nil {
			return err
		}
		d.report.Add(eventsNoun, int64(len(lot)), made, int64(len(lot))-made)
	}
	note := d.note(f, len(groupings) > 0, others)
	made, err := d.Moves.Complete(ctx, d.Now(), d.from, d.project.ID, f, append(detail.Comments, note), detail.Counts, d.people)
	if n := int64(len(detail.Comments)); n > 0 {
		d.report.Add(commentsNoun, n, min(made, n), n-min(made, n))
	}
	return err
}

// group returns the groupings by which events of an error are known, in each environment in which it occurred; the
// events that are stored; and the newest.
func (d *detailer) group(f movedb.Pending, detail move.Detail) (groupings []faults.Grouping, events []movedb.ImportedEvent, first *faults.Report) {
	known := map[[16]byte]bool{}
	oldest := d.Now().AddDate(0, 0, -int(d.project.PurgeDays))
	for _, e := range detail.Events {
		report, err := d.read.report(e, e.Environment)
		if err != nil || report == nil {
			d.report.Leave(move.Left{Noun: eventsNoun, Name: cmp.Or(f.Short, f.ID), Why: "Event " + e.ID + " is no error, or cannot be read."})
			continue
		}
		if first == nil {
			first = report
		}
		if at := d.timeOf(e, f); !e.KeyOnly && at.After(oldest) {
			report.ReceivedAt = at
			events = append(events, movedb.ImportedEvent{Report: report, FaultID: f.FaultID, At: at})
		}
		if !e.Shape {
			continue
		}
		groupings = appendGroupings(groupings, known, e, d.read.everywhere(e, report, detail.Environments))
	}
	slices.SortStableFunc(events, func(a, b movedb.ImportedEvent) int { return a.At.Compare(b.At) })
	return groupings, events, first
}

// minified returns the groupings of events whose frames are left as clients sent them, beside those that are known.
func (d *detailer) minified(detail move.Detail, groupings []faults.Grouping) (others []faults.Grouping) {
	known, read := map[[16]byte]bool{}, d.read.minified()
	for _, g := range groupings {
		known[g.Key] = true
	}
	for _, e := range detail.Events {
		if report, err := read.report(e, e.Environment); e.Shape && err == nil && report != nil {
			others = appendGroupings(others, known, e, read.everywhere(e, report, detail.Environments))
		}
	}
	return others
}

// appendGroupings appends those by which the reports of an event are known, once.
func appendGroupings(groupings []faults.Grouping, known map[[16]byte]bool, e move.Event, reports []*faults.Report) []faults.Grouping {
	for _, r := range reports {
		of := []faults.Grouping{r.Grouping}
		if e.Partial { // an event with an unknown key is looked for by the first rule too, which needs the place alone
			of = append(of, r.Former)
		}
		for _, g := range of {
			if !known[g.Key] {
				known[g.Key], groupings = true, append(groupings, g)
			}
		}
	}
	return groupings
}

// timeOf returns when an event happened. What it says itself may be anything.
func (d *detailer) timeOf(e move.Event, f movedb.Pending) time.Time {
	at := e.At
	if at.IsZero() || at.After(f.Last.Add(time.Minute)) {
		at = f.Last
	}
	if now := d.Now(); at.After(now) {
		at = now
	}
	return at.UTC().Truncate(time.Microsecond)
}

// note says about an error where it is from, and what new events of it do.
func (d *detailer) note(f movedb.Pending, keyed bool, others []int64) move.Comment {
	name := cmp.Or(f.Short, f.ID)
	if f.Link != "" {
		name = linkTo(name, f.Link)
	}
	text := fmt.Sprintf("Imported from %s, where it was %s. It had occurred %s times by then.", d.from.Host, name, strconv.FormatInt(f.Count, 10))
	for i, l := range f.Linked {
		text += []string{" Linked there: ", ", "}[min(i, 1)] + linkTo(l.Name, l.Link)
		if i == len(f.Linked)-1 {
			text += "."
		}
	}
	if len(others) > 0 {
		var ids []string
		for _, id := range others[:min(len(others), 5)] {
			ids = append(ids, strconv.FormatInt(id, 10))
		}
		text += " sett groups some of its events with those of error " + strings.Join(ids, ", ") +
			", which was seen later: new ones are added there. Merge the errors if they are one."
		d.report.Leave(move.Left{
			Noun: "events of shared errors", Name: cmp.Or(f.Short, f.ID), Why: "sett groups some of its events with another error; new ones are added there.", Page: move.MergePage,
		})
	}
	if !keyed {
		text += " The source has no event of it any more: a new one makes another error."
		d.report.Leave(move.Left{
			Noun: "errors without events", Name: cmp.Or(f.Short, f.ID), Why: "The source has no event of it any more: a new one makes another error.", Page: move.MergePage,
		})
	}
	return movedb.Note(f.Fault, "sett import", text, d.Now())
}

// linkTo returns a link in Markdown. A name of the source has no end of its text and no other markup.
func linkTo(name, link string) string {
	return "[" + strings.NewReplacer("[", "(", "]", ")", `\`, "/").Replace(name) + "](" + link + ")"
}
