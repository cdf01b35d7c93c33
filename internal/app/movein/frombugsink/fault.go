package frombugsink

import (
	"cmp"
	"context"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

type issueJSON struct {
	ID          string `json:"id"`
	Friendly    string `json:"friendly_id"`
	First       string `json:"first_seen"`
	Last        string `json:"last_seen"`
	Count       int64  `json:"digested_event_count"`
	Type        string `json:"calculated_type"`
	Value       string `json:"calculated_value"`
	Transaction string `json:"transaction"`
	Resolved    bool   `json:"is_resolved"`
	ByNext      bool   `json:"is_resolved_by_next_release"`
	Muted       bool   `json:"is_muted"`
}

// Faults returns a page of the errors of a project, oldest first. They are in the order of their first event, which does not
// change while events arrive.
func (s *Source) Faults(ctx context.Context, p move.Project, cursor string) (found move.Page, err error) {
	query := of("project", p.ID, cursor)
	query.Set("sort", "digest_order")
	query.Set("order", "asc")
	var rows page[issueJSON]
	if err := s.get(ctx, "issues", query, &rows); err != nil {
		if remote.IsMissing(err) && cursor != "" { // of an earlier run; the server has begun anew
			return s.Faults(ctx, p, "")
		}
		return found, err
	}
	found.Next = rows.next(cursor)
	for i := range rows.Results {
		if f, ok := s.fault(&rows.Results[i]); ok {
			found.Faults = append(found.Faults, f)
		}
	}
	return found, nil
}

func (s *Source) fault(i *issueJSON) (move.Fault, bool) {
	class := cmp.Or(i.Type, "Message")
	if class == "Log Message" {
		class = "Message"
	}
	f := move.Fault{
		ID: idOf(i.ID), Short: move.Line(i.Friendly, 60), Link: move.Link(s.Address("issues/issue/" + idOf(i.ID) + "/event/last/")),
		Class: move.Line(class, move.MostName), Message: move.Text(i.Value, move.MostMessage), Component: move.Line(i.Transaction, move.MostName),
		State: move.Open, First: timeOf(i.First), Last: timeOf(i.Last), Count: max(i.Count, 0),
	}
	switch {
	case i.Resolved && i.ByNext: // until then, events do not reopen it
		f.OnDeploy = true
	case i.Resolved:
		f.State = move.Resolved
	case i.Muted:
		f.State = move.Ignored
	}
	if f.First.IsZero() || f.First.After(f.Last) {
		f.First = f.Last
	}
	return f, f.ID != "" && !f.Last.IsZero()
}

// idOf returns a UUID as addresses have it; "" for what is none.
func idOf(id string) string {
	if len(id) < 32 || len(id) > 36 {
		return ""
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') && (r < 'A' || r > 'F') && r != '-' {
			return ""
		}
	}
	return id
}
