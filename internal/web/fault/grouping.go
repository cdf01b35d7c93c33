package fault

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"

	"sett/internal/ingest/sample"
	"sett/internal/ingest/unminify"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// groupingView is the page that explains how the events of an error are grouped.
type groupingView struct {
	web.Shell
	Fault  faults.Fault
	Parts  []part
	Notice sett.UUID // the event that is explained; zero: none is stored

	Explained *sample.Explanation // of that event; nil if it cannot be
	Note      string              // what is to be known about it
	Rules     string              // path of the page of the project's rules; "" if the user may not change them
}

// Path is the address of the fault.
func (v groupingView) Path() string { return faultAddress(v.Fault.ProjectID, v.Fault.ID) }

// groupingPage explains the event of ?notice=, or the newest, and how the error went on.
func (p *pages) groupingPage(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Faults.FaultByID(r.Context(), web.Project(r), web.PathID(r, "fault_id"))
	if err != nil {
		return p.orMerged(w, r, err, web.PathID(r, "fault_id"), "/grouping")
	}
	v := &groupingView{Shell: p.Shell(r, "Grouping").In("faults"), Fault: found}
	v.Fault.Class = orWord(found.Class, "Error")
	if web.ScopeOf(r).May(accounts.ManageProject) {
		v.Rules = fmt.Sprintf("/projects/%d/settings/grouping", found.ProjectID)
	}
	parts, err := p.Faults.ListParts(r.Context(), found.ProjectID, found.ID)
	if err != nil {
		return err
	}
	for _, one := range parts {
		v.Parts = append(v.Parts, newPart(one))
	}
	if err := p.explainEvent(r, v); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "fault_grouping", v)
}

// explainEvent explains an event of the error.
func (p *pages) explainEvent(r *http.Request, v *groupingView) error {
	n, err := p.explainedNotice(r, v.Fault)
	if err != nil || n == nil {
		return err
	}
	v.Notice = n.ID
	bodies, err := p.Faults.SentBodies(r.Context(), n.ProjectID, []int64{int64(n.Key)})
	if err != nil {
		return err
	}
	body, ok := bodies[int64(n.Key)]
	if !ok {
		v.Note = "The data of this event cannot be read at the moment."
		return nil
	}
	if p.isMapped(r.Context(), *n) {
		v.Note = "This event is grouped by its original code, from source maps."
		return nil
	}
	settings, err := p.Accounts.Grouping(r.Context(), n.ProjectID)
	if err != nil {
		return err
	}
	x, err := sample.Sample{Notice: body.JSON}.Explain(n.ProjectID, settings.Compiled().Rules)
	if err != nil {
		if sett.CodeOf(err) == "" {
			return err
		}
		v.Note = "The data of this event cannot be read: " + err.Error()
		return nil
	}
	known, err := p.Faults.FaultsOfKeys(r.Context(), n.ProjectID, [][16]byte{x.Grouping.Key})
	if v.Explained = x; known[x.Grouping.Key] != v.Fault.ID {
		v.Note = "By the current rules, this event would be grouped differently. The rules changed after it arrived, or what grouped it is not stored."
	}
	return err
}

// explainedNotice returns the event of ?notice=, or the newest of the error; nil if there is none.
func (p *pages) explainedNotice(r *http.Request, f faults.Fault) (*faults.Notice, error) {
	if id, err := sett.ParseUUID(r.URL.Query().Get("notice")); err == nil {
		n, err := p.Faults.NoticeByUUID(r.Context(), f.ProjectID, id)
		if err == nil && n.FaultID != f.ID {
			err = sett.Errorf(sett.NotFound, "Notice not found")
		}
		return &n, err
	}
	notices, _, err := p.Faults.ListNotices(r.Context(), f.ProjectID, f.ID, faultdb.NoticePage{Page: sett.Page{Size: 1}})
	if err != nil || len(notices) == 0 {
		return nil, err
	}
	return &notices[0], nil
}

// isMapped reports whether source maps show where frames of a notice come from.
func (p *pages) isMapped(ctx context.Context, n faults.Notice) bool {
	_, origins, err := p.originalOf(ctx, n)(n.Backtrace)
	return err == nil && slices.ContainsFunc(origins, unminify.Origin.Mapped)
}

// separate makes an error of its own of the events of a key.
func (p *pages) separate(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	key, err := hex.DecodeString(form.Get("key"))
	if err != nil {
		key = nil // no error goes on by it
	}
	id, err := p.Faults.SeparateKey(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), web.PathID(r, "fault_id"), key)
	if err != nil {
		return err
	}
	return p.Done(w, faultAddress(web.Project(r), id), "separated")
}
