package ingest

import (
	"context"
	"encoding/json"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/faultdb"
)

// feedbackPatience is how long feedback waits for its event before it becomes an event of its own: clients send both within seconds, in any order.
const feedbackPatience = 10 * time.Minute

// heldFeedback is feedback that waits for its event. It has nothing that the rules of its project remove.
type heldFeedback struct {
	Project      accounts.KeyedProject
	Author, Body string
	Notice       json.RawMessage     `json:",omitempty"` // the event of its own that it may become; none once it is one
	Files        []attachmentdb.File `json:",omitempty"`
}

// await lets feedback wait for its event, across restarts. If there is no room for it, it becomes an event of its own at once.
func (in *Ingest) await(ctx context.Context, f feedback, about sett.UUID) error {
	if f.project.ProjectID == 0 {
		return errNoSuchEvent
	}
	clean, counts := in.scrubbing.rulesOf(f.project).Notice(f.own.Append(nil, event.MaxNotice), nil)
	in.scrubbing.add(f.project.ProjectID, in.now(), counts)
	held := heldFeedback{f.project, in.cleanText(f.project, f.author()), in.cleanText(f.project, f.body()), clean, f.files}
	content, err := json.Marshal(held)
	if err != nil {
		return err
	}
	now := in.now()
	waiting := faultdb.WaitingFeedback{ProjectID: f.project.ProjectID, Event: about, Feedback: f.id, Content: content}
	ok, err := in.faults.AwaitEvent(ctx, now, now.Add(feedbackPatience), waiting)
	if err == nil && !ok {
		return in.takeOwnEvent(ctx, f.project, f.id, held)
	}
	return err
}

// takeOwnEvent stores feedback as an event of its own, with its files.
func (in *Ingest) takeOwnEvent(ctx context.Context, p accounts.KeyedProject, id sett.UUID, held heldFeedback) error {
	m := in.memories.take()
	m.notice = append(m.notice[:0], held.Notice...)
	if _, err := in.submit(p, m, converted{notice: m.notice}); err != nil {
		return err // without the memory: the notice may still be on its way to the store
	}
	in.memories.giveBack(m)
	return in.keepFiles(ctx, p, id, held.Files)
}

// keepFiles stores the files of feedback with the event that it is, or is about.
func (in *Ingest) keepFiles(ctx context.Context, p accounts.KeyedProject, notice sett.UUID, files []attachmentdb.File) error {
	if len(files) == 0 {
		return nil
	}
	saved, err := in.saveFiles(ctx, p, notice.String(), files)
	if err == nil {
		in.dropFiles(p, saved)
	}
	return err
}

// SettleFeedback makes comments of feedback whose event has come, and events of that which has waited for long enough. It may be repeated, and
// run on several servers: what is there already is not stored again.
func (in *Ingest) SettleFeedback(ctx context.Context) (more bool, err error) {
	for after := int64(0); ; {
		arrived, err := in.faults.ArrivedFeedback(ctx, after)
		if err != nil {
			return false, err
		}
		if len(arrived) == 0 {
			break
		}
		for _, w := range arrived {
			if err := in.settleArrived(ctx, w); err != nil {
				return false, err
			}
			after = w.ID
		}
	}
	due, err := in.faults.DueFeedback(ctx, in.now())
	if err != nil {
		return false, err
	}
	for _, w := range due {
		if err := in.settleDue(ctx, w); err != nil {
			return false, err
		}
	}
	if len(due) == 0 {
		return false, in.faults.ForgetWaiting(ctx, in.now())
	}
	return true, nil
}

// settleArrived makes a comment of feedback.
func (in *Ingest) settleArrived(ctx context.Context, w faultdb.WaitingFeedback) error {
	var held heldFeedback
	if err := json.Unmarshal(w.Content, &held); err != nil {
		return err
	}
	outcome, err := in.faults.AddFeedback(ctx, in.now(), faultdb.Feedback{ProjectID: w.ProjectID, Notice: w.Event, ID: w.Feedback, Author: held.Author, Body: held.Body})
	switch {
	case err != nil:
		return err
	case outcome == faultdb.FeedbackOfNothing: // the event was deleted meanwhile: it becomes one of its own
		return nil
	case outcome == faultdb.FeedbackTooMany:
		in.drop(held.Project, "feedback", stats.DroppedFull, 1)
	}
	if err := in.keepFiles(ctx, held.Project, w.Event, held.Files); err != nil {
		return err
	}
	return in.faults.EndWaiting(ctx, w.ID)
}

// settleDue makes an event of feedback. If that is refused, such as beyond a limit, it was counted as any event.
func (in *Ingest) settleDue(ctx context.Context, w faultdb.WaitingFeedback) error {
	var held heldFeedback
	if err := json.Unmarshal(w.Content, &held); err != nil {
		return err
	}
	err := in.takeOwnEvent(ctx, held.Project, w.Feedback, held)
	if code := sett.CodeOf(err); err != nil && (code == "" || code == sett.Unavailable) {
		return err
	}
	held.Notice, held.Files = nil, nil
	content, err := json.Marshal(held)
	if err != nil {
		return err
	}
	return in.faults.KeepWaiting(ctx, w.ID, content)
}
