package demo

import (
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/triage"
)

// care plans what people do about a fault that has just occurred for the first time.
func (w *world) care(p *project, f *fault, now time.Time) {
	d := newDice(w.seed, "care of "+p.name+strconv.FormatInt(f.id, 10))
	ada, tobias, ines := w.people["ada"], w.people["tobias"], w.people["ines"]
	switch f.fate {
	case resolved:
		w.setFault(p, f, pick(d, w.staff[:7]), f.gone.Add(d.between(0, time.Hour)), `{"resolved":true}`)
	case reopened:
		w.discuss(p, f, now)
		w.setFault(p, f, ines, now.Add(d.between(40*time.Hour, 60*time.Hour)), `{"resolved":true}`)
	case ignored:
		w.setFault(p, f, tobias, w.daysAgo(12, "15:10"), `{"ignored":true}`)
	case assigned:
		to := ines.id
		if p != w.projects[0] {
			to = -p.team
		}
		w.setFault(p, f, ada, now.Add(d.between(time.Hour, 9*time.Hour)), `{"assignee_id":%d}`, to)
	case onDeploy:
		w.setFault(p, f, tobias, w.ago(2*time.Hour), `{"resolve_on_deploy":true,"assignee_id":%d}`, tobias.id)
	case pausedFor:
		w.pause(p, f, tobias, w.ago(20*time.Hour), `{"time":"week"}`)
	case pausedBy:
		w.pause(p, f, ines, w.ago(9*time.Hour), `{"count":1000}`)
	case worse:
		w.setFault(p, f, pick(d, w.staff[:5]), now.Add(d.between(4*time.Hour, 20*time.Hour)), `{"resolved":true,"assignee_id":%d}`, ada.id)
	default:
		w.mind(p, f, d, now)
	}
	if f == p.faults[0] && p == w.projects[0] {
		w.FaultID = f.id
	}
	if f.fate == pausedBy && p == w.projects[0] {
		w.PausedID = f.id
	}
}

// mind lets users change a small fault that is never resolved.
func (w *world) mind(p *project, f *fault, d dice, now time.Time) {
	later := now.Add(d.between(time.Hour, 80*time.Hour))
	who := pick(d, w.staff[:7])
	switch n := d.IntN(20); {
	case n < 3:
		w.setFault(p, f, who, later, `{"ignored":true}`)
	case n < 6:
		w.setFault(p, f, who, later, `{"assignee_id":%d}`, pick(d, w.staff[:3]).id)
	case n < 8:
		w.comment(p, f, who, later, pick(d, remarks))
	case n == 8:
		w.pause(p, f, who, w.ago(d.between(time.Hour, 20*time.Hour)), `{"time":"day"}`)
	}
}

var remarks = []string{
	"Seen this on my machine too, with an empty cart.",
	"Looks like the same cause as last month: the retry has no limit.",
	"Only on the *EU* cluster. The others have the newer driver.",
	"I cannot reproduce it. Does anyone have the parameters?",
	"A fix is in review.",
}

// discuss is the story of the fault that has everything.
func (w *world) discuss(p *project, f *fault, now time.Time) {
	ada, tobias, ines := w.people["ada"], w.people["tobias"], w.people["ines"]
	w.setFault(p, f, ada, now.Add(95*time.Minute), `{"assignee_id":%d}`, ines.id)
	w.comment(p, f, tobias, now.Add(110*time.Minute), "Only happens when the gift card balance is exactly zero. @Ines, you wrote `apply_gift_card`, could you take a look?")
	w.comment(p, f, ines, now.Add(4*time.Hour), "Found it:\n\n1. `GiftCard.find_by` returns `nil` for a card that was used up and archived\n2. we never check for that\n\n```ruby\nreturn if total.zero? || card.nil?\n```\n\nFix in review.")
	w.comment(p, f, ada, w.daysAgo(1, "16:05"), "It is back after the last deploy, see the chart. **Please roll back** if that takes longer than an hour, @Tobias.")
	if p != w.projects[0] {
		return
	}
	w.history.at(now.Add(2*time.Hour), "link an issue", func(ctx context.Context, now time.Time) error {
		data := change[triage.LinkData](`{"number":1184,"url":"https://git.acme.test/acme/checkout/issues/1184"}`)
		return w.store.Faults.LinkFault(w.byFault(ctx, now, tobias, "linkFault", p, f, data), now, p.id, f.id, w.dispatcher.tracker, data)
	})
}

// byFault is by for what is done to a fault.
func (w *world) byFault(ctx context.Context, now time.Time, who *person, action string, p *project, f *fault, changes any) context.Context {
	target := map[string]string{"project_id": strconv.FormatInt(p.id, 10), "fault_id": strconv.FormatInt(f.id, 10)}
	return w.by(ctx, now, who, action, p.name, target, changes)
}

// setFault plans a change of a fault.
func (w *world) setFault(p *project, f *fault, who *person, at time.Time, text string, args ...any) {
	c := change[faults.FaultChange](text, args...)
	w.history.at(at, "change a fault", func(ctx context.Context, now time.Time) error {
		return w.store.Faults.UpdateFault(w.byFault(ctx, now, who, "updateFault", p, f, map[string]any{"fault": c}), now, who.id, p.id, f.id, c)
	})
}

func (w *world) comment(p *project, f *fault, who *person, at time.Time, body string) {
	c := change[faults.CommentChange](`{"body":%s}`, quoted(body))
	w.history.at(at, "comment", func(ctx context.Context, now time.Time) error {
		_, err := w.store.Faults.CreateComment(w.byFault(ctx, now, who, "createComment", p, f, map[string]any{"comment": c}), now, who.id, p.id, f.id, c)
		return err
	})
}

func (w *world) pause(p *project, f *fault, who *person, at time.Time, text string) {
	c := change[faults.Pause]("%s", text)
	w.history.at(at, "pause a fault", func(ctx context.Context, now time.Time) error {
		return w.store.Faults.PauseFault(w.byFault(ctx, now, who, "pauseFault", p, f, c), now, who.id, p.id, f.id, c)
	})
}

// planCare plans the changes by users that are not about one fault, and the public link of a fault.
func (w *world) planCare() {
	ada, p := w.people["ada"], w.projects[0]
	for _, text := range []string{
		`{"name":"Production, open","q":"-is:resolved -is:ignored environment:production","order":"recent","shared":true}`,
		`{"name":"Payments","q":"tag:payments -is:resolved","order":"frequent"}`,
	} {
		c := change[faults.SavedSearchChange]("%s", text)
		w.history.at(w.ago(3*time.Hour), "save a search", func(ctx context.Context, now time.Time) error {
			target := map[string]string{"project_id": strconv.FormatInt(p.id, 10)}
			_, err := w.store.Search.CreateSavedSearch(w.by(ctx, now, ada, "createSavedSearch", p.name, target, c), now, ada.id, p.id, c)
			return err
		})
	}
	w.planQueries(ada, p)
	w.planDashboards(ada, p)
	w.planAlarms(ada, p)
	w.planWindows(ada, p)
	hash := sha256.Sum256([]byte(w.ids.text(43)))
	w.history.at(w.ago(2*time.Hour), "share a fault", func(ctx context.Context, now time.Time) error {
		f := p.faults[0]
		return w.store.Faults.ShareFault(w.byFault(ctx, now, ada, "shareFault", p, f, nil), now, ada.id, p.id, f.id, hash[:])
	})
}

// planWindows plans a maintenance window that is over when the history ends, and one that lies ahead then.
func (w *world) planWindows(who *person, p *project) {
	for _, window := range []struct {
		at, starts, ends time.Duration
		reason           string
	}{
		{50 * time.Hour, 49 * time.Hour, 48 * time.Hour, "Upgrade of the database"},
		{2 * time.Hour, -70 * time.Hour, -72 * time.Hour, "Move to new load balancers"},
	} {
		text := func(ago time.Duration) string { return w.ago(ago).UTC().Format(time.RFC3339) }
		c := change[maintenance.WindowChange](`{"reason":%s,"starts_at":%s,"ends_at":%s}`, quoted(window.reason), quoted(text(window.starts)), quoted(text(window.ends)))
		w.history.at(w.ago(window.at), "plan maintenance", func(ctx context.Context, now time.Time) error {
			target := map[string]string{"project_id": strconv.FormatInt(p.id, 10)}
			_, err := w.store.Deliveries.CreateMaintenance(w.by(ctx, now, who, "createMaintenanceWindow", p.name, target, c), now, who.id, p.id, c)
			return err
		})
	}
}
