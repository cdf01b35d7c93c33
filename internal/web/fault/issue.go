package fault

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// link is an issue that a fault is linked to.
type link struct {
	IntegrationID int64
	Name, Address string
	Kind          string
}

// showIssues shows the linked issues of the fault, and the available trackers.
func (v *faultView) showIssues(s *sheet.Fault) {
	options := map[int64]map[string]any{}
	for _, i := range s.Integrations {
		if options[i.ID] = i.Options; v.May(accounts.WorkFaults) {
			v.offer(i)
		}
	}
	for _, l := range s.Links {
		v.Links = append(v.Links, newLink(l, options[l.IntegrationID]))
	}
}

// offer adds an integration to the choices if it is an issue tracker.
func (v *faultView) offer(i alerts.Integration) {
	kind, ok := alerts.FindIntegrationKind(channel.Rules(), i.Type)
	if !ok || !kind.Tracker {
		return
	}
	label, _ := i.Options["label"].(string)
	choice := web.Choice{Value: fmt.Sprint(i.ID), Label: cut(strings.TrimSpace(i.Type+" "+label), 80)}
	v.Trackers = append(v.Trackers, choice)
	if !kind.LinkOnly {
		v.Makers = append(v.Makers, choice)
	}
}

// newLink returns a link of an integration with the given options.
func newLink(l triage.FaultLink, options map[string]any) link {
	return link{
		IntegrationID: l.IntegrationID, Kind: l.Type, Name: cut(orWord(channel.IssueName(l.Data), "issue"), 80),
		Address: webLink(channel.IssueAddress(l.Type, options, l.Data)),
	}
}

func issueField() web.Field {
	return web.Field{Name: "url", ID: "issue-url", Label: "Issue URL", Kind: "url", Hint: "For example https://github.com/acme/shop/issues/12."}
}

// issueEvents are the actions of trackers.
var issueEvents = map[string]alerts.AlertEvent{"create": alerts.AlertIssueCreate, "close": alerts.AlertIssueClose, "reopen": alerts.AlertIssueReopen}

func (p *pages) askIssue(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	event, known := issueEvents[form.Get("do")]
	if !known {
		return p.again(w, r, sett.Refuse("do", "must be one of create, close and reopen"), nil)
	}
	_, err = p.Deliveries.AskIssue(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), integration(form), event, channel.Rules())
	return p.changed(w, r, err, "asked_issue")
}

// integration returns the ID of the integration in a form, or 0.
func integration(form url.Values) int64 {
	id, _ := strconv.ParseInt(form.Get("channel_id"), 10, 64)
	return id
}

func (p *pages) linkIssue(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	sent := form.Get("url")
	if err := p.Faults.LinkFaultAt(r.Context(), p.Now(), web.Project(r), web.PathID(r, "fault_id"), integration(form), sent); err != nil {
		return p.again(w, r, err, func(v *faultView, why string) { v.Issue.Value, v.Issue.Problem = sent, why })
	}
	return p.Done(w, address(r), "linked")
}

func (p *pages) unlinkIssue(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	return p.changed(w, r, p.Faults.UnlinkFault(r.Context(), web.Project(r), web.PathID(r, "fault_id"), integration(form)), "unlinked")
}
