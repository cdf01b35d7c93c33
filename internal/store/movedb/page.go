package movedb

import (
	"context"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/move"
	"sett/internal/sett/status"
)

// Page stores a status page of the source with the components that came. Its incidents are for Incident.
func (w *Watching) Page(ctx context.Context, p move.StatusPage, ids IDs) (Applied, error) {
	record := p
	record.Incidents = nil
	change := pageChange(p, ids)
	why := ""
	a, err := w.apply(ctx, thing{
		kind: move.PageKind, id: p.ID, record: record,
		check: func() error { return nil },
		make: func(t Tx) (int64, error) {
			made, err := t.s.status.In(t.Tx).AddStatusPage(ctx, w.Now, w.AccountID, w.Pages, change)
			for _, field := range []*sett.Optional[string]{&change.Slug, &change.Domain} {
				if sett.CodeOf(err) != sett.Invalid || !field.Sent {
					continue
				}
				why, *field = err.Error(), sett.Optional[string]{}
				made, err = t.s.status.In(t.Tx).AddStatusPage(ctx, w.Now, w.AccountID, w.Pages, change)
			}
			return made.Number, err
		},
		read: func(t Tx, _, number int64) (current, error) {
			have, err := t.s.status.In(t.Tx).PageNumbered(ctx, number)
			return found(have.ID, have.StatusPageSettings, err)
		},
	})
	if a.Outcome == Made {
		a.Why = why
	}
	return a, err
}

func pageChange(p move.StatusPage, ids IDs) status.StatusPageChange {
	c := status.StatusPageChange{Name: sett.Some(move.Line(p.Name, move.MostName)), Unlisted: sett.Some(sett.LenientBool(p.Unlisted))}
	if p.Slug != "" {
		c.Slug = sett.Some(p.Slug)
	}
	if p.Domain != "" {
		c.Domain = sett.Some(p.Domain)
	}
	var sites []status.StatusSiteChange
	var checkIns []status.StatusCheckInChange
	shown := map[string]bool{}
	for i, part := range p.Components {
		id := ids[move.Watched{Kind: part.Kind, ID: part.ID}]
		if id == "" || shown[id] {
			continue
		}
		shown[id] = true
		entry := status.StatusEntry{
			DisplayName: sett.Some(move.Line(part.Name, move.MostName)), Description: sett.Some(move.Line(part.Description, move.MostName)),
			Group: sett.Some(move.Line(part.Group, move.MostName)), Position: sett.Some(int64(i)),
		}
		if part.Kind == move.SiteKind {
			sites = append(sites, status.StatusSiteChange{SiteID: sett.Some(id), StatusEntry: entry})
		} else {
			checkIns = append(checkIns, status.StatusCheckInChange{CheckInID: sett.Some(id), StatusEntry: entry})
		}
	}
	c.Sites, c.CheckIns = sett.Some(sites), sett.Some(checkIns)
	return c
}

// Incident stores an incident of a page that came. Subscribers are not notified of one that is over.
func (w *Watching) Incident(ctx context.Context, page string, i move.Incident, ids IDs) (Applied, error) {
	change := status.IncidentChange{
		Name: sett.Some(move.Line(i.Name, move.MostName)), Message: sett.Some(move.Text(i.Message, mostIncident)),
		StartsAt: moment(i.Start), ResolvedAt: moment(i.End), SiteIDs: sett.Some(ids.of(move.SiteKind, i.Of)), CheckInIDs: sett.Some(ids.of(move.CheckInKind, i.Of)),
	}
	return w.apply(ctx, thing{
		kind: move.NoteKind, id: i.ID, record: i,
		check: func() error { return nil },
		make: func(t Tx) (int64, error) {
			made, err := t.s.status.In(t.Tx).AddIncident(ctx, w.Now, w.AccountID, page, change)
			return made.ID, err
		},
		read: func(t Tx, _, number int64) (current, error) {
			have, err := t.s.status.In(t.Tx).IncidentByID(ctx, w.AccountID, page, number)
			return found(strconv.FormatInt(number, 10), have, err)
		},
	})
}

// mostIncident is how many bytes the message of an incident has at most.
const mostIncident = 5000

// moment writes a time as users send it; the zero time is none.
func moment(t time.Time) sett.Optional[string] {
	if t.IsZero() {
		return sett.Optional[string]{}
	}
	return sett.Some(t.UTC().Format(time.RFC3339Nano))
}
