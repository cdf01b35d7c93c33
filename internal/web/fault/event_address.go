package fault

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// eventOfFault redirects to the page of the fault that an event belongs to now: the fault may have been merged since the URL
// was sent.
func (p *pages) eventOfFault(w http.ResponseWriter, r *http.Request) error {
	uuid, err := sett.ParseUUID(r.PathValue("notice_id"))
	if err != nil {
		return faultdb.NoEvent()
	}
	n, err := p.Faults.NoticeByUUID(r.Context(), web.Project(r), uuid)
	if sett.CodeOf(err) == sett.NotFound {
		return faultdb.NoEvent()
	}
	if err != nil {
		return err
	}
	if fault := web.PathID(r, "fault_id"); fault != n.FaultID && !p.hasFault(r, fault) {
		return faultdb.NoEvent()
	}
	return p.Redirect(w, eventAddress(n.ProjectID, n.FaultID, uuid))
}

// hasFault reports whether the project has a fault, or had it before it was merged into another.
func (p *pages) hasFault(r *http.Request, fault int64) bool {
	if _, err := p.Faults.FaultByID(r.Context(), web.Project(r), fault); err == nil {
		return true
	}
	_, err := p.Faults.MergedInto(r.Context(), web.Project(r), fault)
	return err == nil
}

// eventAnywhere redirects to an event of any project that the user can see.
func (p *pages) eventAnywhere(w http.ResponseWriter, r *http.Request) error {
	uuid, err := sett.ParseUUID(r.PathValue("notice_id"))
	if err != nil {
		return noEventAnywhere()
	}
	project, fault, err := p.Faults.NoticePlace(r.Context(), web.Who(r).User.ID, uuid)
	if sett.CodeOf(err) == sett.NotFound {
		return noEventAnywhere()
	}
	if err != nil {
		return err
	}
	return p.Redirect(w, eventAddress(project, fault, uuid))
}

func noEventAnywhere() error {
	return sett.Errorf(sett.NotFound, "Not found: there is no such event in your projects. Its retention period may have ended, or it belongs to a project that you cannot access.")
}

func eventAddress(project, fault int64, notice sett.UUID) string {
	return faultAddress(project, fault) + "?notice=" + notice.String()
}
