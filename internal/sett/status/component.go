package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sett/internal/base/phrase"
	"sett/internal/sett"
)

const (
	longestComponentText = 255
	maxComponentPosition = 1_000_000
)

// StatusSiteChange is an entry of the sites of a status page.
type StatusSiteChange struct {
	SiteID sett.Optional[string] `json:"site_id,omitzero" doc:"A site of a project of the account." required:"true" example:"0192f0c1-2b3c-7d4e-8f5a-6b7c8d9e0f1a"`
	StatusEntry
}

// StatusCheckInChange is an entry of the check-ins of a status page.
type StatusCheckInChange struct {
	CheckInID sett.Optional[string] `json:"check_in_id,omitzero" doc:"A check-in of a project of the account." required:"true" example:"Xk3Jd7"`
	StatusEntry
}

// StatusEntry is what an entry of either list says of its component. What is not sent is empty.
type StatusEntry struct {
	DisplayName sett.Optional[string] `json:"display_name,omitzero" doc:"The name on the page; by default its own name." range:"0,255" example:"Shop"`
	Description sett.Optional[string] `json:"description,omitzero" doc:"A line below the name." range:"0,255"`
	Group       sett.Optional[string] `json:"group,omitzero" doc:"The group of the component: components with the same group are shown together, below a bar of their own. Empty for none." range:"0,255" example:"Europe"`
	Position    sett.Optional[int64]  `json:"position,omitzero" doc:"The position, starting at 0." range:"0,1000000"`
}

// KnownComponents are sites and check-ins that belong to an account.
type KnownComponents struct {
	Sites    []sett.UUID
	CheckIns []string
}

// Named returns the sites and check-ins that the change names, whether or not there are any such; none when they are too
// many.
func (c StatusPageChange) Named() (named KnownComponents) {
	if len(c.Sites.Value) > maxStatusComponents || len(c.CheckIns.Value) > maxStatusComponents {
		return named
	}
	for _, e := range c.Sites.Value {
		if id, err := sett.ParseUUID(e.SiteID.Value); err == nil {
			named.Sites = append(named.Sites, id)
		}
	}
	for _, e := range c.CheckIns.Value {
		if e.CheckInID.Value != "" {
			named.CheckIns = append(named.CheckIns, e.CheckInID.Value)
		}
	}
	return named
}

// components returns what the page shows after the change. A site or check-in that it still shows stays the same
// component.
func (c StatusPageChange) components(p *sett.Problems, have []StatusComponent, known KnownComponents) []StatusComponent {
	var sites, checkIns []StatusComponent
	for _, component := range have {
		if component.IsSite() {
			sites = append(sites, component)
		} else {
			checkIns = append(checkIns, component)
		}
	}
	if sett.Check(p, "sites", c.Sites) || c.Sites.Null {
		sites = readEntries(p, "sites", c.Sites.Value, func(p *sett.Problems, field string, e StatusSiteChange) placedComponent {
			id := checkID(p, field+" site_id", e.SiteID)
			site, err := sett.ParseUUID(id)
			if id != "" && (err != nil || !slices.Contains(known.Sites, site)) {
				p.Add(field+" site_id", "must be the id of a site of a project of this account; %s is none", phrase.Quote(id))
			}
			return e.read(p, field, StatusComponent{SiteID: site})
		})
	}
	if sett.Check(p, "check_ins", c.CheckIns) || c.CheckIns.Null {
		checkIns = readEntries(p, "check_ins", c.CheckIns.Value, func(p *sett.Problems, field string, e StatusCheckInChange) placedComponent {
			id := checkID(p, field+" check_in_id", e.CheckInID)
			if id != "" && !slices.Contains(known.CheckIns, id) {
				p.Add(field+" check_in_id", "must be the id of a check-in of a project of this account; %s is none", phrase.Quote(id))
			}
			return e.read(p, field, StatusComponent{CheckInID: id})
		})
	}
	if len(sites)+len(checkIns) > maxStatusComponents {
		p.Add("sites and check_ins", "are too many (maximum is %d together)", maxStatusComponents)
	}
	return sameComponents(have, slices.Concat(sites, checkIns))
}

// checkID notes that an entry does not say what it is about, and returns what it says.
func checkID(p *sett.Problems, field string, sent sett.Optional[string]) string {
	if sett.Check(p, field, sent); sent.Value == "" && sent.Bad == "" {
		p.Add(field, "can't be blank")
	}
	return sent.Value
}

// placedComponent is a component with its place among others.
type placedComponent struct {
	StatusComponent
	position *int64 // nil: where it stands
}

// read returns the entry as what it says of a component.
func (e StatusEntry) read(p *sett.Problems, field string, c StatusComponent) placedComponent {
	for _, text := range []struct {
		name string
		sent sett.Optional[string]
		dst  *string
	}{{"display_name", e.DisplayName, &c.DisplayName}, {"description", e.Description, &c.Description}, {"group", e.Group, &c.Group}} {
		sett.SetField(p, field+" "+text.name, text.sent, text.dst, "")
		*text.dst = strings.TrimSpace(*text.dst)
		sett.CheckText(p, field+" "+text.name, *text.dst, longestComponentText)
	}
	placed := placedComponent{StatusComponent: c}
	if sett.Check(p, field+" position", e.Position) {
		placed.position = &e.Position.Value
		if e.Position.Value < 0 || e.Position.Value > maxComponentPosition {
			p.Add(field+" position", "must be from 0 to %d", maxComponentPosition)
		}
	}
	return placed
}

// readEntries returns the components of a list by their positions. A list that is far too long is not looked at.
func readEntries[E any](p *sett.Problems, name string, entries []E, read func(*sett.Problems, string, E) placedComponent) (list []StatusComponent) {
	if len(entries) > maxStatusComponents {
		return make([]StatusComponent, len(entries)) // refused by their number
	}
	var placed []placedComponent
	for i, e := range entries {
		field := fmt.Sprintf("%s[%d]", name, i)
		c := read(p, field, e)
		if slices.ContainsFunc(placed, func(before placedComponent) bool { return before.shows(c.StatusComponent) }) {
			p.Add(field, "is there twice")
		}
		if c.position == nil {
			c.position = new(int64(i))
		}
		placed = append(placed, c)
	}
	slices.SortStableFunc(placed, func(a, b placedComponent) int { return cmp.Compare(*a.position, *b.position) })
	for _, c := range placed {
		list = append(list, c.StatusComponent)
	}
	return list
}

// shows reports whether two components are of the same site or check-in.
func (c StatusComponent) shows(other StatusComponent) bool {
	return c.SiteID == other.SiteID && c.CheckInID == other.CheckInID && (c.IsSite() || c.CheckInID != "")
}

// sameComponents gives components the ids of those that showed the same before.
func sameComponents(have, want []StatusComponent) []StatusComponent {
	for i := range want {
		if at := slices.IndexFunc(have, want[i].shows); at >= 0 {
			want[i].ID = have[at].ID
		}
	}
	return want
}

// WatchedStatusPage is a status page with what is known of all that it shows, for those who manage it.
type WatchedStatusPage struct {
	StatusPage
	Watched []WatchedComponent // the components of the page
}

// WatchedComponent is a component with how its site or check-in does.
type WatchedComponent struct {
	ComponentView
	ProjectID int64
	Found     string // the state of the site or check-in, in its own words
}
