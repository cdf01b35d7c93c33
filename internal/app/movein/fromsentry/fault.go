package fromsentry

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

// issueJSON is an issue of a list; detailJSON has what is read of one.
type issueJSON struct {
	ID        text   `json:"id"`
	ShortID   string `json:"shortId"`
	Title     string `json:"title"`
	Culprit   string `json:"culprit"`
	Status    string `json:"status"`
	FirstSeen string `json:"firstSeen"`
	LastSeen  string `json:"lastSeen"`
	Count     text   `json:"count"`
	Permalink string `json:"permalink"`
	Comments  int64  `json:"numComments"`
	Metadata  struct {
		Type  string `json:"type"`
		Value string `json:"value"`
		Title string `json:"title"`
	} `json:"metadata"`
	Details struct {
		NextRelease bool   `json:"inNextRelease"`
		InRelease   string `json:"inRelease"`
	} `json:"statusDetails"`
	Assigned struct {
		Type  string `json:"type"`
		Email string `json:"email"`
	} `json:"assignedTo"`
	Annotations []json.RawMessage `json:"annotations"`
}

// sinceEver is before anything that a tracker may have: without a time, the list has the errors of some days alone.
const sinceEver = "2008-01-01T00:00:00"

// Faults returns a page of the errors of a project, in every state, newest first. They are in the order of their first
// event, which does not change while events arrive.
func (s *Source) Faults(ctx context.Context, p move.Project, cursor string) (page move.Page, err error) {
	query := url.Values{"project": {p.ID}, "query": {""}, "limit": {"100"}} // without a query, the list has those that are unresolved
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var rows []issueJSON
	var a answer
	if !s.ownSet {
		query.Set("sort", "new")
		query.Set("start", sinceEver)
		query.Set("end", s.c.Now().UTC().Add(24*time.Hour).Format("2006-01-02T15:04:05"))
		a, err = s.c.get(ctx, "issues", s.ofOrg("issues"), query, &rows)
		query.Del("start")
		query.Del("end")
	}
	if s.ownSet || remote.IsMissing(err) { // GlitchTip has the same order by another name
		query.Set("sort", "-first_seen")
		a, err = s.c.get(ctx, "issues", s.ofOrg("issues"), query, &rows)
		s.ownSet = err == nil
	}
	if remote.IsMissing(err) { // an old server
		query.Del("sort")
		a, err = s.c.get(ctx, "issues", ofProject(s.org, p.Slug, "issues"), query, &rows)
	}
	if err != nil {
		return page, err
	}
	page.Next, page.Total = a.next, a.total
	if page.Next == cursor {
		page.Next = ""
	}
	for i := range rows {
		if f, ok := faultOf(&rows[i]); ok {
			if f.Link == "" && s.ownSet { // GlitchTip does not say it
				f.Link = move.Link(s.c.Address(s.org + "/issues/" + url.PathEscape(f.ID)))
			}
			page.Faults = append(page.Faults, f)
		}
	}
	return page, nil
}

func faultOf(i *issueJSON) (move.Fault, bool) {
	count, _ := strconv.ParseInt(string(i.Count), 10, 64)
	f := move.Fault{
		ID: move.Line(string(i.ID), move.MostName), Short: move.Line(i.ShortID, 60), Link: move.Link(i.Permalink),
		Class: move.Line(cmp.Or(i.Metadata.Type, "Message"), move.MostName), Message: move.Text(cmp.Or(i.Metadata.Value, i.Metadata.Title, i.Title), move.MostMessage),
		Component: move.Line(i.Culprit, move.MostName), State: stateOf(i.Status), OnDeploy: i.Details.NextRelease && i.Status != "resolved",
		First: timeOf(i.FirstSeen), Last: timeOf(i.LastSeen), Count: max(count, 0), Comments: max(i.Comments, 0),
	}
	if i.Assigned.Type != "team" {
		f.Assignee = move.Line(i.Assigned.Email, move.MostName)
	}
	f.Linked = linkedOf(i.Annotations)
	if f.First.IsZero() || f.First.After(f.Last) {
		f.First = f.Last
	}
	return f, f.ID != "" && !f.Last.IsZero()
}

// mostLinked is how many items of trackers an issue may have.
const mostLinked = 10

// linkedOf returns the items of trackers that an issue is linked to. Old versions say them in HTML, which is passed over.
func linkedOf(annotations []json.RawMessage) (linked []move.Linked) {
	for _, raw := range annotations[:min(len(annotations), mostLinked)] {
		var a struct {
			Name string `json:"displayName"`
			URL  string `json:"url"`
		}
		if json.Unmarshal(raw, &a) != nil {
			continue
		}
		if link := move.Link(a.URL); link != "" {
			linked = append(linked, move.Linked{Name: move.Line(cmp.Or(a.Name, link), move.MostName), Link: link})
		}
	}
	return linked
}

// stateOf returns the state that a status stands for. What is archived, muted or on its way out gets no notifications
// there, as what is ignored here.
func stateOf(status string) move.State {
	switch status {
	case "resolved", "resolvedInNextRelease":
		return move.Resolved
	case "ignored", "archived", "muted":
		return move.Ignored
	}
	return move.Open
}

// timeOf reads a time of the API, in UTC. One that no tracker can have seen is no time.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 2005 || t.Year() > 2200 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// The most that is read of one error.
const (
	mostShapes       = 100
	mostComments     = 500
	mostEnvironments = 20
)

// Detail reads what the list does not say of an error: an event of each of its shapes, its newest events, the
// environments and the comments. What cannot be read is left.
func (s *Source) Detail(ctx context.Context, p move.Project, f move.Fault, newest int) (d move.Detail, err error) {
	if d.Environments, err = s.environmentsOf(ctx, f); err != nil {
		return d, err
	}
	shapes, err := s.shapesOf(ctx, f)
	if err != nil {
		return d, err
	}
	ids, err := s.newestOf(ctx, f, newest)
	if err != nil {
		return d, err
	}
	if len(shapes) == 0 && len(ids) > 0 {
		shapes = slices.Clone(ids[:1])
	}
	isNew, isShape, read := map[eventID]bool{}, map[eventID]bool{}, map[eventID]bool{}
	for _, id := range ids[:min(len(ids), newest)] {
		isNew[id] = true
	}
	if s.ownSet {
		shapes = append(shapes, spread(ids)...)
	}
	for _, id := range shapes {
		isShape[id] = true
	}
	for _, id := range slices.Concat(shapes, ids[:min(len(ids), newest)]) {
		if read[id] {
			continue
		}
		read[id] = true
		events, left, err := s.event(ctx, p, f, id)
		if err != nil {
			return d, err
		}
		d.Left = append(d.Left, left...)
		for i, e := range events {
			e.Shape, e.KeyOnly = isShape[id], i > 0 || s.ownSet && !isNew[id]
			d.Events = append(d.Events, e)
		}
	}
	return d, s.rest(ctx, f, &d)
}

// GlitchTip groups by title and place alone: one of its hashes may have events of several shapes. So some of the newest are read.
const (
	mostListed = 100
	mostSpread = 10
)

// spread returns some of a list, far apart from each other.
func spread(ids []eventID) (some []eventID) {
	for i := range min(len(ids), mostSpread) {
		some = append(some, ids[i*len(ids)/min(len(ids), mostSpread)])
	}
	return some
}

// ofIssue is the address of an issue: below that of its organization, where old servers and GlitchTip have none.
func (s *Source) ofIssue(ctx context.Context, endpoint string, f move.Fault, path string, query url.Values, into any) (err error) {
	if !s.noOrg || path == "hashes" {
		_, err = s.c.get(ctx, endpoint, s.ofOrg("issues/"+url.PathEscape(f.ID)+"/"+path), query, into)
	}
	if s.noOrg && path != "hashes" || remote.IsMissing(err) {
		_, err = s.c.get(ctx, endpoint, "issues/"+url.PathEscape(f.ID)+"/"+path, query, into)
		s.noOrg = s.noOrg || err == nil
	}
	return err
}

// environmentsOf returns the environments in which an error occurred; none if the server does not say so.
func (s *Source) environmentsOf(ctx context.Context, f move.Fault) (names []string, err error) {
	type tagJSON struct {
		Key string `json:"key"`
		Top []struct {
			Value string `json:"value"`
		} `json:"topValues"`
	}
	tags := []tagJSON{{}}
	err = s.ofIssue(ctx, "tags", f, "tags/environment", nil, &tags[0])
	if remote.IsMissing(err) { // GlitchTip has a list of them
		err = s.ofIssue(ctx, "tags", f, "tags", url.Values{"key": {"environment"}}, &tags)
	}
	if err != nil && !remote.IsMissing(err) && !remote.IsOther(err) {
		return nil, err
	}
	for _, tag := range tags {
		if tag.Key != "environment" {
			continue
		}
		for _, v := range tag.Top[:min(len(tag.Top), mostEnvironments)] {
			if name := move.Line(v.Value, move.MostName); name != "" {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

type eventID struct {
	ID      string `json:"id"`
	EventID string `json:"eventID"` // the client's own
	Plain   string `json:"event_id"`
}

// in returns the id of an event that addresses have. Old servers have a number beside it.
func (e eventID) in() string {
	if id := idOf(e.ID); len(id) >= 32 {
		return id
	}
	return idOf(cmp.Or(e.EventID, e.Plain, e.ID))
}

// idOf returns the id of an event as addresses have it; "" for what is none.
func idOf(id string) string {
	if len(id) == 0 || len(id) > 36 {
		return ""
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') && (r < 'A' || r > 'F') && r != '-' {
			return ""
		}
	}
	return id
}

// shapesOf returns the newest event of each hash of an issue: all that the source put into one error, in however many shapes it came.
func (s *Source) shapesOf(ctx context.Context, f move.Fault) (ids []eventID, err error) {
	var rows []struct {
		Latest *eventID `json:"latestEvent"`
	}
	err = s.ofIssue(ctx, "hashes", f, "hashes", url.Values{"full": {"1"}, "limit": {"100"}}, &rows)
	if err != nil && !remote.IsMissing(err) {
		return nil, err
	}
	for _, r := range rows[:min(len(rows), mostShapes)] {
		if r.Latest != nil && r.Latest.in() != "" {
			ids = append(ids, *r.Latest)
		}
	}
	return ids, nil
}

// newestOf returns the newest events of an issue: as many as there should be, or more.
func (s *Source) newestOf(ctx context.Context, f move.Fault, n int) (ids []eventID, err error) {
	if n = max(n, 1); s.ownSet {
		n = mostListed
	}
	var rows []eventID
	err = s.ofIssue(ctx, "issue events", f, "events", url.Values{"limit": {strconv.Itoa(min(n, 100))}}, &rows)
	if err != nil && !remote.IsMissing(err) {
		return nil, err
	}
	for _, r := range rows[:min(len(rows), n)] {
		if r.in() != "" {
			ids = append(ids, r)
		}
	}
	return ids, nil
}
