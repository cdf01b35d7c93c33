package status

import (
	"slices"
	"strings"
	"time"

	"sett/internal/base/moment"
	"sett/internal/base/phrase"
	"sett/internal/sett"
)

const (
	longestIncidentMessage = 5_000
	longestMaintenance     = 30 * 24 * time.Hour
)

// IncidentChange is the body of an incident's create and update: only the fields that were sent change. Clients repeat
// what they have read in an update, so that a kind is no error there; it is passed over.
type IncidentChange struct {
	Kind       sett.Optional[string]     `json:"kind,omitzero" doc:"incident by default. Cannot be changed later." enum:"incident,maintenance"`
	Name       sett.Optional[string]     `json:"name,omitzero" doc:"The title on the page. Required when creating." range:"1,255" null:"no" example:"Slow checkout"`
	Status     sett.Optional[string]     `json:"status,omitzero" doc:"The status: investigating (the default), identified, monitoring or resolved; for maintenance scheduled, in_progress or completed, by default according to its times. Past maintenance is only recorded: subscribers are not notified, and it was completed at ends_at. After creation, updates change the status." enum:"investigating,identified,monitoring,resolved,scheduled,in_progress,completed"`
	Message    sett.Optional[string]     `json:"message,omitzero" doc:"The message of its first update. Required when creating, and only then; line breaks are kept." range:"1,5000" example:"We are looking into it."`
	Impact     sett.Optional[string]     `json:"impact,omitzero" doc:"How bad it is: none, minor, major or critical. Empty: it follows from the affected components. Not for maintenance." enum:"none,minor,major,critical,"`
	SiteIDs    sett.Optional[[]string]   `json:"site_ids,omitzero" doc:"The sites of the page that it affects. Without any sites and check-ins it affects the whole page, unless it affected some that the page no longer shows."`
	CheckInIDs sett.Optional[[]string]   `json:"check_in_ids,omitzero" doc:"The check-ins of the page that it affects."`
	StartsAt   sett.Optional[string]     `json:"starts_at,omitzero" doc:"When it started, by default now; for maintenance, when it is to start, which is required. RFC 3339." example:"2026-11-22T14:00:00Z"`
	ResolvedAt sett.Optional[string]     `json:"resolved_at,omitzero" doc:"When it ended. A new incident with it is resolved: it is only recorded, and subscribers are not notified. That of a resolved incident can be changed; an update with the status resolved ends one that lasts. Not for maintenance, which ends at ends_at. RFC 3339." example:"2026-11-22T15:00:00Z"`
	States     map[string]ComponentState `json:"component_states,omitempty" doc:"How affected components do meanwhile, by the id of the site or check-in: up, degraded (the default), partial or down."`
	EndsAt     sett.Optional[string]     `json:"ends_at,omitzero" doc:"When maintenance is to end, at most 30 days after its start: required for maintenance, and only for that. RFC 3339." example:"2026-11-22T16:00:00Z"`

	PostMortem          sett.Optional[string]           `json:"postmortem,omitzero" doc:"What happened, and what you do about it, in Markdown; only of a resolved incident. A draft, until it is published. Null removes it." range:"0,20000" example:"A replica was stuck. We now watch its lag."`
	PostMortemPublished sett.Optional[sett.LenientBool] `json:"postmortem_published,omitzero" doc:"True publishes the post-mortem, false withdraws it; it stays as a draft then."`
	PostMortemNotify    sett.Optional[sett.LenientBool] `json:"postmortem_notify,omitzero" doc:"With true, subscribers of the page are sent the post-mortem that this request publishes; false by default."`
}

// Create returns a new incident of a page with its first update, or an Invalid error that names every field that is wrong.
func (c IncidentChange) Create(page StatusPage, now time.Time) (StatusIncident, IncidentUpdate, error) {
	var p sett.Problems
	kind := string(Disruption)
	sett.SetField(&p, "kind", c.Kind, &kind, kind)
	i := StatusIncident{PageID: page.ID, Kind: IncidentKind(kind), CreatedAt: now, UpdatedAt: now}
	if i.Kind != Disruption && i.Kind != Maintenance {
		return i, IncidentUpdate{}, sett.Refuse("kind", "must be incident or maintenance") // what else is wrong depends on it
	}
	c.apply(&p, &i, page, now)
	i.Status = i.begins(now)
	if i.Kind == Disruption && c.ResolvedAt.Sent && !c.ResolvedAt.Blank() {
		i.Status = Resolved
	}
	said := IncidentUpdateChange{Status: c.Status, Message: c.Message}
	u := IncidentUpdate{Status: said.status(&p, i), Message: said.message(&p), At: now}
	c.setEnd(&p, &i, u.Status, now)
	switch {
	case !i.ResolvedAt.IsZero(): // a record of what is over
		u.At = i.ResolvedAt
	case i.Kind != Maintenance || i.StartsAt.IsZero() || i.EndsAt.IsZero():
	case u.Status == Completed && i.EndsAt.Before(now): // a record of what is over
		u.At = i.EndsAt
	default:
		i.checkTime(&p, u.Status, now)
	}
	return i.after(u), u, p.Refusal()
}

// begins is how far a new incident is by itself: maintenance as its times say.
func (i StatusIncident) begins(now time.Time) IncidentStatus {
	switch {
	case i.Kind == Disruption:
		return Investigating
	case i.StartsAt.After(now) || i.EndsAt.IsZero():
		return Scheduled
	case i.EndsAt.After(now):
		return InProgress
	}
	return Completed
}

// Update returns the incident with the change made by people, or an Invalid error that names every field that is wrong.
func (c IncidentChange) Update(i StatusIncident, page StatusPage, now time.Time) (StatusIncident, error) {
	var p sett.Problems
	c.apply(&p, &i, page, now)
	c.setEnd(&p, &i, i.Status, now)
	if sett.Check(&p, "status", c.Status) && !c.Status.Blank() && c.Status.Value != string(i.Status) {
		p.Add("status", "is changed by an update: post one to the updates of the incident")
	}
	if sett.Check(&p, "message", c.Message) && !c.Message.Blank() {
		p.Add("message", "is the message of an update: change that update, or post another")
	}
	before := i
	if c.setPostMortem(&p, &i, now); c.onDraft(before.PostMortem, i.PostMortem) {
		now = before.UpdatedAt
	}
	return i.Written(now), p.Refusal()
}

func (c IncidentChange) apply(p *sett.Problems, i *StatusIncident, page StatusPage, now time.Time) {
	sett.SetName(p, c.Name, &i.Name)
	c.setComponents(p, i, page)
	c.setImpact(p, i, page)
	began := i.StartsAt
	begins := setTime(p, "starts_at", c.StartsAt, &i.StartsAt)
	ends := setTime(p, "ends_at", c.EndsAt, &i.EndsAt)
	switch {
	case i.Kind == Maintenance && begins && ends:
		i.checkSpan(p)
	case i.Kind == Disruption:
		i.checkBeginning(p, now)
	}
	if !i.StartsAt.Equal(began) {
		i.checkEnd(p)
	}
}

// setEnd applies the end of an incident that is over.
func (c IncidentChange) setEnd(p *sett.Problems, i *StatusIncident, s IncidentStatus, now time.Time) {
	end := i.ResolvedAt
	if !c.ResolvedAt.Sent || !setTime(p, "resolved_at", c.ResolvedAt, &end) || end.Equal(i.ResolvedAt) {
		return
	}
	switch {
	case i.Kind == Maintenance:
		p.Add("resolved_at", "is only for incidents; maintenance ends at ends_at, or by an update whose status is completed")
	case !s.Over():
		p.Add("resolved_at", "is for incidents that are resolved; post an update whose status is resolved")
	case end.IsZero():
		p.Add("resolved_at", "can't be blank; an update with another status opens the incident again")
	case end.After(now):
		p.Add("resolved_at", "must not be in the future")
	case end.Before(i.StartsAt):
		p.Add("resolved_at", "must not be before starts_at, which is %s", i.StartsAt.UTC().Format(time.RFC3339))
	}
	i.ResolvedAt = end
}

// checkEnd notes a beginning that comes after the end. Maintenance that was called off was to begin later.
func (i StatusIncident) checkEnd(p *sett.Problems) {
	if !i.ResolvedAt.IsZero() && i.StartsAt.After(i.ResolvedAt) && !i.calledOff() {
		p.Add("starts_at", "must not be after resolved_at, which is %s", i.ResolvedAt.UTC().Format(time.RFC3339))
	}
}

func (i *StatusIncident) checkBeginning(p *sett.Problems, now time.Time) {
	if i.StartsAt.IsZero() {
		i.StartsAt = i.CreatedAt
	}
	if i.StartsAt.After(now) {
		p.Add("starts_at", "must not be in the future; what is planned is of the kind maintenance")
	}
	if !i.EndsAt.IsZero() {
		p.Add("ends_at", "is only for maintenance; an incident ends with an update whose status is resolved")
	}
}

func (i StatusIncident) checkSpan(p *sett.Problems) {
	for _, end := range []struct {
		field string
		at    time.Time
	}{{"starts_at", i.StartsAt}, {"ends_at", i.EndsAt}} {
		if end.at.IsZero() {
			p.Add(end.field, "can't be blank: maintenance has a start and an end")
		}
	}
	switch span := i.EndsAt.Sub(i.StartsAt); {
	case i.StartsAt.IsZero() || i.EndsAt.IsZero():
	case span <= 0:
		p.Add("ends_at", "must be after starts_at")
	case span > longestMaintenance:
		p.Add("ends_at", "must be at most 30 days after starts_at")
	}
}

// setTime applies a time, and reports whether it can be used; null is none.
func setTime(p *sett.Problems, field string, sent sett.Optional[string], dst *time.Time) bool {
	text := ""
	if sett.SetField(p, field, sent, &text, ""); !sent.Sent || sent.Bad != "" {
		return sent.Bad == ""
	}
	if text == "" {
		*dst = time.Time{}
		return true
	}
	at, ok := moment.Read(text)
	if year := at.Year(); !ok || year < 2000 || year > 2200 {
		p.Add(field, "must be a time such as 2026-11-22T14:00:00Z")
		return false
	}
	*dst = at.UTC().Truncate(time.Microsecond)
	return true
}

// setComponents says what the incident is about. Sites and check-ins change by themselves. What the page no longer shows is
// forgotten once something else is named: a client that sends back the empty lists that it has read names nothing.
func (c IncidentChange) setComponents(p *sett.Problems, i *StatusIncident, page StatusPage) {
	var ids []int64
	for _, id := range i.ComponentIDs {
		if have, ok := page.Component(id); ok && (have.IsSite() && !c.SiteIDs.Sent || !have.IsSite() && !c.CheckInIDs.Sent) {
			ids = append(ids, id)
		}
	}
	c.SiteIDs.Value = sett.CanonicalUUIDs(c.SiteIDs.Value)
	ids = append(ids, page.find(p, "site_ids", c.SiteIDs, func(have StatusComponent) string {
		if !have.IsSite() {
			return ""
		}
		return have.SiteID.String()
	})...)
	ids = append(ids, page.find(p, "check_in_ids", c.CheckInIDs, func(have StatusComponent) string { return have.CheckInID })...)
	slices.Sort(ids)
	if i.ComponentIDs = slices.Compact(ids); len(ids) > 0 && (c.SiteIDs.Sent || c.CheckInIDs.Sent) {
		i.Gone = nil
	}
}

// find returns the components that ids stand for, and notes those that the page does not have.
func (page StatusPage) find(p *sett.Problems, field string, sent sett.Optional[[]string], id func(StatusComponent) string) (found []int64) {
	if !sett.Check(p, field, sent) {
		return nil
	}
	var strange []string
	for _, want := range sent.Value {
		at := slices.IndexFunc(page.Components, func(c StatusComponent) bool { return want != "" && id(c) == want })
		if at < 0 {
			strange = append(strange, phrase.Quote(want))
			continue
		}
		found = append(found, page.Components[at].ID)
	}
	if len(strange) > 0 {
		p.Add(field, "must be of this status page; it does not show %s", strings.Join(strange[:min(len(strange), 5)], ", "))
	}
	return found
}

// Component returns the component of a page with an id.
func (page StatusPage) Component(id int64) (StatusComponent, bool) {
	for _, c := range page.Components {
		if c.ID == id {
			return c, true
		}
	}
	return StatusComponent{}, false
}

// IncidentUpdateChange is the body of an update of an incident, new or changed.
type IncidentUpdateChange struct {
	Status    sett.Optional[string] `json:"status,omitzero" doc:"The new status of the incident; unchanged if it is not sent. Cannot be changed later." enum:"investigating,identified,monitoring,resolved,scheduled,in_progress,completed"`
	CreatedAt sett.Optional[string] `json:"created_at,omitzero" doc:"When it was said, by default now; not before the update before. An incident that it resolves ended then. Cannot be changed later. RFC 3339." example:"2026-11-22T15:00:00Z"`
	Message   sett.Optional[string] `json:"message,omitzero" doc:"Text of the update, as visitors and subscribers see it. Line breaks are kept." required:"true" range:"1,5000" example:"A change of yesterday is the cause. We are taking it back."`
}

// Statuses are those that an incident of the kind can have, in the order in which it mostly does.
func (k IncidentKind) Statuses() []IncidentStatus {
	if k == Maintenance {
		return []IncidentStatus{Scheduled, InProgress, Completed}
	}
	return []IncidentStatus{Investigating, Identified, Monitoring, Resolved}
}

// Create returns the incident with an update by people, which it is the newest of then, or an Invalid error that names
// every field that is wrong. What is over is opened again by a status that is not the last.
func (c IncidentUpdateChange) Create(i StatusIncident, now time.Time) (StatusIncident, IncidentUpdate, error) {
	var p sett.Problems
	u := IncidentUpdate{Status: c.status(&p, i), Message: c.message(&p), At: c.at(&p, i, now)}
	if u.Status != i.Status && i.Kind == Maintenance {
		i.checkTime(&p, u.Status, now)
	}
	return i.after(u).Written(now), u, p.Refusal()
}

// checkTime notes a status that the clock would change at once.
func (i StatusIncident) checkTime(p *sett.Problems, s IncidentStatus, now time.Time) {
	switch {
	case s == Scheduled && !i.StartsAt.After(now):
		p.Add("status", "cannot be scheduled: starts_at has passed. Change starts_at and ends_at of the incident first")
	case s == InProgress && !i.EndsAt.After(now):
		p.Add("status", "cannot be in_progress: ends_at has passed. Change ends_at of the incident first")
	}
}

// Update returns the update with another message, or an Invalid error that names every field that is wrong.
func (c IncidentUpdateChange) Update(u IncidentUpdate) (IncidentUpdate, error) {
	var p sett.Problems
	if sett.Check(&p, "status", c.Status) && !c.Status.Blank() && c.Status.Value != string(u.Status) {
		p.Add("status", "of an update stays; post another update to change that of the incident")
	}
	at := u.At
	if setTime(&p, "created_at", c.CreatedAt, &at) && !c.CreatedAt.Blank() && !at.Equal(u.At) {
		p.Add("created_at", "of an update stays; delete the update and post another")
	}
	u.Message, u.Automatic = c.message(&p), false
	return u, p.Refusal()
}

func (c IncidentUpdateChange) status(p *sett.Problems, i StatusIncident) IncidentStatus {
	status := string(i.Status)
	sett.SetField(p, "status", c.Status, &status, status)
	if all := i.Kind.Statuses(); !slices.Contains(all, IncidentStatus(status)) {
		var names []string
		for _, s := range all {
			names = append(names, string(s))
		}
		p.Add("status", "must be one of %s", strings.Join(names, ", "))
	}
	return IncidentStatus(status)
}

// at returns when the update was said.
func (c IncidentUpdateChange) at(p *sett.Problems, i StatusIncident, now time.Time) time.Time {
	at := now
	if c.CreatedAt.Blank() || !setTime(p, "created_at", c.CreatedAt, &at) {
		return now
	}
	switch {
	case at.After(now):
		p.Add("created_at", "must not be in the future")
	case len(i.Updates) > 0 && at.Before(i.Updates[0].At):
		p.Add("created_at", "must not be before the update before, which is of %s", i.Updates[0].At.UTC().Format(time.RFC3339))
	}
	return at
}

func (c IncidentUpdateChange) message(p *sett.Problems) string {
	text := strings.TrimSpace(strings.ReplaceAll(c.Message.Value, "\r\n", "\n"))
	switch {
	case c.Message.Bad != "":
		p.Add("message", "%s", c.Message.Bad)
	case !strings.ContainsFunc(text, sett.IsVisible):
		p.Add("message", "can't be blank")
	}
	sett.CheckText(p, "message", strings.NewReplacer("\n", " ", "\t", " ").Replace(text), longestIncidentMessage)
	return text
}

// after is the incident once an update was added.
func (i StatusIncident) after(u IncidentUpdate) StatusIncident {
	i.Status = u.Status
	switch {
	case !u.Status.Over():
		i.ResolvedAt = time.Time{}
	case i.ResolvedAt.IsZero() && i.Kind == Maintenance: // also before it begins: it is called off then
		i.ResolvedAt = u.At
	case i.ResolvedAt.IsZero():
		i.ResolvedAt = u.At
		if i.StartsAt.After(u.At) {
			i.ResolvedAt = i.StartsAt
		}
	}
	return i
}

// Without returns the incident as people leave it when they delete one of its updates, the newest first: it is as far as
// those say that are left. The error is NotFound when it has no such update, and Invalid when it has no other.
func (i StatusIncident) Without(update int64, now time.Time) (StatusIncident, error) {
	if _, err := i.UpdateByID(update); err != nil {
		return i, err
	}
	if len(i.Updates) == 1 {
		return i, sett.Errorf(sett.Invalid, "An incident has at least one update. Change its message, or delete the incident.")
	}
	end, chosen := i.ResolvedAt, !slices.ContainsFunc(i.Updates, func(u IncidentUpdate) bool { return u.At.Equal(i.ResolvedAt) })
	i.Updates = slices.DeleteFunc(slices.Clone(i.Updates), func(u IncidentUpdate) bool { return u.ID == update })
	i.ResolvedAt = time.Time{}
	for _, u := range slices.Backward(i.Updates) {
		i = i.after(u)
	}
	if chosen && !end.IsZero() && !i.ResolvedAt.IsZero() && i.Kind == Disruption {
		i.ResolvedAt = end
	}
	return i.Written(now), nil
}

// UpdateByID returns an update of the incident, or a NotFound error.
func (i StatusIncident) UpdateByID(id int64) (IncidentUpdate, error) {
	for _, u := range i.Updates {
		if u.ID == id {
			return u, nil
		}
	}
	return IncidentUpdate{}, sett.Errorf(sett.NotFound, "Update not found")
}

// Written is the incident once people have written to it, who have it to themselves from then on.
func (i StatusIncident) Written(now time.Time) StatusIncident {
	i.Automatic, i.UpdatedAt = false, now
	return i
}

// CheckDelete returns an Invalid error when the incident cannot be deleted.
func (i StatusIncident) CheckDelete() error {
	if i.Automatic && i.ResolvedAt.IsZero() {
		return sett.Errorf(sett.Invalid, "This incident is automatic and its outage lasts, so that it would be opened again at once. End it by an update whose status is resolved.")
	}
	return nil
}
