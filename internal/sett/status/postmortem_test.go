package status

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

func TestPostMortems(t *testing.T) {
	t.Parallel()
	at, later := noonOfStatus.Add(-time.Hour), noonOfStatus.Add(time.Minute)
	over := StatusIncident{ID: 1, Kind: Disruption, Name: "x", Status: Resolved, StartsAt: at, CreatedAt: at, UpdatedAt: at, ResolvedAt: noonOfStatus}
	written := func(m PostMortem) StatusIncident { i := over; i.PostMortem = m; return i }
	open, work := over, over
	open.Status, open.ResolvedAt = Monitoring, time.Time{}
	work.Kind, work.Status = Maintenance, Completed
	text, yes, no := sett.Some(" ## Cause\r\n"), sett.Some(sett.LenientBool(true)), sett.Some(sett.LenientBool(false))
	draft, public := PostMortem{ID: 7, Message: "old"}, PostMortem{ID: 7, Message: "old", PublishedAt: at}
	for name, c := range map[string]struct {
		of    StatusIncident
		c     IncidentChange
		want  PostMortem
		still bool // visitors see no change
		wrong string
	}{
		"a draft":                    {over, IncidentChange{PostMortem: text}, PostMortem{Message: "## Cause"}, true, ""},
		"published at once":          {over, IncidentChange{PostMortem: text, PostMortemPublished: yes, PostMortemNotify: yes}, PostMortem{Message: "## Cause", PublishedAt: later, Notify: true}, false, ""},
		"published quietly":          {written(draft), IncidentChange{PostMortemPublished: yes}, PostMortem{ID: 7, Message: "old", PublishedAt: later}, false, ""},
		"corrected, and not resent":  {written(public), IncidentChange{PostMortem: text, PostMortemPublished: yes, PostMortemNotify: yes}, PostMortem{ID: 7, Message: "## Cause", PublishedAt: at}, false, ""},
		"withdrawn":                  {written(public), IncidentChange{PostMortemPublished: no}, draft, false, ""},
		"removed":                    {written(public), IncidentChange{PostMortem: sett.Optional[string]{Sent: true, Null: true}}, PostMortem{ID: 7}, false, ""},
		"as it was read, without":    {open, IncidentChange{PostMortem: sett.Optional[string]{Sent: true, Null: true}, PostMortemPublished: no}, PostMortem{}, true, ""},
		"of an incident that lasts":  {open, IncidentChange{PostMortem: text}, PostMortem{}, false, "postmortem is for incidents that are resolved"},
		"of maintenance":             {work, IncidentChange{PostMortem: text}, PostMortem{}, false, "postmortem is only for incidents"},
		"published, blank":           {over, IncidentChange{PostMortemPublished: yes}, PostMortem{}, false, "postmortem can't be blank"},
		"too long":                   {over, IncidentChange{PostMortem: sett.Some(strings.Repeat("x", longestPostMortem+1))}, PostMortem{}, false, "postmortem is too long"},
		"another change leaves it":   {written(public), IncidentChange{Name: sett.Some("y")}, public, false, ""},
		"of one that lasts, changed": {func() StatusIncident { i := open; i.PostMortem = draft; return i }(), IncidentChange{PostMortem: text}, PostMortem{ID: 7, Message: "## Cause"}, true, ""},
	} {
		i, err := c.c.Update(c.of, StatusPage{}, later)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || i.PostMortem != c.want || i.UpdatedAt.Equal(at) != c.still || i.Automatic:
			t.Errorf("%s: %+v at %s, %v; want %+v", name, i.PostMortem, i.UpdatedAt, err, c.want)
		}
	}
	if i := written(draft).Shown(); i.PostMortem != (PostMortem{}) {
		t.Errorf("visitors see the draft %+v", i.PostMortem)
	}
}
