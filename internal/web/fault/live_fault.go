package fault

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/web"
)

// seen is what an open page of a fault shows of it. The address of its stream has it, so that a page that listens again, for
// example after a lost connection, gets what it has missed.
type seen struct {
	began    int64 // events when the page was loaded
	events   int64
	resolved bool // when the page was loaded
	state    string
}

func seenOf(f faults.Fault, paused bool) seen {
	return seen{f.NoticesCount, f.NoticesCount, f.Resolved, stateOf(f.FaultState, paused).Word}
}

// now returns what the page shows once it has the fault as it is now.
func (s seen) now(f faults.Fault, paused bool) seen {
	s.events, s.state = f.NoticesCount, stateOf(f.FaultState, paused).Word
	return s
}

func (s seen) query() string {
	return "?" + url.Values{
		"began": {fmt.Sprint(s.began)}, "events": {fmt.Sprint(s.events)}, "resolved": {fmt.Sprint(s.resolved)}, "state": {s.state},
	}.Encode()
}

func seenIn(query url.Values) (s seen) {
	s.began, _ = strconv.ParseInt(query.Get("began"), 10, 64)
	s.events, _ = strconv.ParseInt(query.Get("events"), 10, 64)
	s.resolved, s.state = query.Get("resolved") == "true", query.Get("state")
	return s
}

// Live returns the address of the stream of the page.
func (v *faultView) Live() string {
	return v.live + v.Seen.query() + strings.Replace(v.Place.Query(), "?", "&", 1)
}

// Again reports whether the error occurred again after it was resolved, while the page was open.
func (v *faultView) Again() bool { return v.Seen.resolved && !v.Fault.Resolved }

// News says what has happened since the page was loaded; "" if it shows everything.
func (v *faultView) News() string {
	var news []string
	if v.Again() {
		news = append(news, "This error was reopened.")
	}
	if n := v.Fault.NoticesCount - v.Seen.began; n > 0 {
		news = append(news, web.Count(n, "new event")+".")
	}
	return strings.Join(news, " ")
}

// liveFault sends what changes on the page of a fault, as HTML that replaces elements of the same IDs.
func (p *pages) liveFault(w http.ResponseWriter, r *http.Request) error {
	project, id, s, polls := web.Project(r), web.PathID(r, "fault_id"), seenIn(r.URL.Query()), 0
	if _, err := p.Faults.FaultByID(r.Context(), project, id); err != nil {
		return err
	}
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (bool, error) {
		if polls++; polls%liveEvery != 1 {
			return false, nil
		}
		f, err := p.Faults.FaultByID(ctx, project, id)
		if sett.CodeOf(err) == sett.NotFound { // deleted or merged
			return true, nil
		}
		now := s.now(f, pausedUntil(f, p.Now()) != "")
		if err != nil || now == s {
			return false, err
		}
		text, err := p.livePart(r.WithContext(ctx), f, now, now.state != s.state)
		if err != nil {
			return false, err
		}
		s = now
		return false, e.Send("part", "", text)
	})
}

// livePart renders the parts of the page of a fault that change; said has screen readers read the state.
func (p *pages) livePart(r *http.Request, f faults.Fault, s seen, said bool) (string, error) {
	v := &faultView{Shell: p.ShellOfPart(r), Fault: f, Place: requestPlace(r), Seen: s, live: p.At(faultAddress(f.ProjectID, f.ID) + "/live")}
	v.Paused = pausedUntil(f, v.Now)
	releases, err := p.Faults.FaultReleases(r.Context(), f)
	if err != nil {
		return "", err
	}
	v.Releases = releases
	kept, err := p.readKey(r.Context(), f)
	if err != nil {
		return "", err
	}
	users, err := p.countUsers(r.Context(), v.Now, f, kept)
	if err != nil {
		return "", err
	}
	v.Users.Count, v.Users.Many = users.all, users.many
	reasons, err := p.Faults.FaultReasons(r.Context(), v.Now, f.ProjectID, v.User.ID, []int64{f.ID})
	if err != nil {
		return "", err
	}
	v.Badges = reasonBadges(reasons[f.ID], "")
	if said {
		v.Said = strings.TrimSpace("This error is now: " + v.State().Word + ". " + v.News())
	}
	return p.Part("fault", "live", v)
}
