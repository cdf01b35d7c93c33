package fault

import (
	"net/http"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// readTags reads the tags that the form for tags suggests: the most frequent ones that the fault does not have.
func (p *pages) readTags(r *http.Request, v *faultView) error {
	if !v.May(accounts.WorkFaults) {
		return nil
	}
	found, err := p.countFacetsAsOf(r.Context(), v.Now, v.Fault.ProjectID, v.erased, []string{"tag"})
	for _, tag := range found.Values["tag"] {
		if !slices.Contains(v.Fault.Tags, tag.Text) {
			v.KnownTags = append(v.KnownTags, tag.Text)
		}
	}
	return err
}

// tag adds the tags of the field add, separated by commas, or removes the one of the button remove.
func (p *pages) tag(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	id, done := web.PathID(r, "fault_id"), "tagged"
	change := triage.BulkChange{Action: sett.Some(string(triage.BulkTag)), Tags: sett.Some(tagsOf(form.Get("add"))), FaultIDs: sett.Some([]int64{id})}
	if form.Has("remove") {
		done, change.Action, change.Tags = "untagged", sett.Some(string(triage.BulkUntag)), sett.Some([]string{form.Get("remove")})
	}
	if err = change.Validate(p.Now()); err == nil {
		_, err = p.Faults.FaultByID(r.Context(), web.Project(r), id)
	}
	if err == nil {
		_, err = p.Faults.ChangeFaults(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), faultdb.Chosen{IDs: []int64{id}}, change)
	}
	return p.changed(w, r, err, done)
}
