package status

import (
	"strings"
	"time"

	"sett/internal/sett"
)

// PostMortem is what people write about an incident that is over: what happened, and what they do about it.
type PostMortem struct {
	ID          int64  // given by the store; 0: none is stored
	Message     string // Markdown; "" : there is none
	PublishedAt time.Time
	Notify      bool // subscribers get it once it is published; only of one that was published just now
}

// PostMortemStatus is that of the update by which subscribers get a post-mortem. No incident has it.
const PostMortemStatus IncidentStatus = "postmortem"

const longestPostMortem = 20_000

// Public reports whether visitors see the post-mortem.
func (m PostMortem) Public() bool { return !m.PublishedAt.IsZero() }

// Shown is the incident as visitors see it: without a draft.
func (i StatusIncident) Shown() StatusIncident {
	if !i.PostMortem.Public() {
		i.PostMortem = PostMortem{}
	}
	return i
}

// MayHavePostMortem reports whether people can write a post-mortem of the incident.
func (i StatusIncident) MayHavePostMortem() bool {
	return i.Kind == Disruption && i.ID != 0 && (i.Status.Over() || i.PostMortem.Message != "")
}

// setPostMortem applies a change of the post-mortem. A client may send back that there is none.
func (c IncidentChange) setPostMortem(p *sett.Problems, i *StatusIncident, now time.Time) {
	m := i.PostMortem
	m.Message = c.postMortem(p, m.Message)
	public, notify := sett.LenientBool(m.Public()), sett.LenientBool(false)
	sett.SetField(p, "postmortem_published", c.PostMortemPublished, &public, false)
	sett.SetField(p, "postmortem_notify", c.PostMortemNotify, &notify, false)
	switch {
	case m.Message == "" && bool(c.PostMortemPublished.Value):
		p.Add("postmortem", "can't be blank")
	case m.Message == "":
		m = PostMortem{ID: m.ID}
	case !i.MayHavePostMortem() && i.Kind == Maintenance:
		p.Add("postmortem", "is only for incidents, not for maintenance")
	case !i.MayHavePostMortem():
		p.Add("postmortem", "is for incidents that are resolved; post an update whose status is resolved first")
	case !bool(public):
		m.PublishedAt = time.Time{}
	case !m.Public():
		m.PublishedAt, m.Notify = now, bool(notify)
	}
	i.PostMortem = m
}

// onDraft reports whether the change is of a draft alone, of which visitors see nothing.
func (c IncidentChange) onDraft(before, after PostMortem) bool {
	other := c.Name.Sent || c.Impact.Sent || c.SiteIDs.Sent || c.CheckInIDs.Sent || c.StartsAt.Sent || c.EndsAt.Sent || c.ResolvedAt.Sent || len(c.States) > 0
	return !other && !before.Public() && !after.Public() && (c.PostMortem.Sent || c.PostMortemPublished.Sent)
}

// postMortem returns the text after the change.
func (c IncidentChange) postMortem(p *sett.Problems, text string) string {
	sett.SetField(p, "postmortem", c.PostMortem, &text, "")
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !strings.ContainsFunc(text, sett.IsVisible) {
		return ""
	}
	sett.CheckText(p, "postmortem", strings.NewReplacer("\n", " ", "\t", " ").Replace(text), longestPostMortem)
	return text
}
