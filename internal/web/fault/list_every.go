package fault

import (
	"net/http"
	"slices"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// everyPath is the path of the list of the errors of all projects.
const everyPath = "/faults"

// among returns those of some projects that a list of all asks for.
func (a asked) among(projects []int64) []int64 {
	if a.Project == "" {
		return projects
	}
	return slices.DeleteFunc(slices.Clone(projects), func(id int64) bool { return strconv.FormatInt(id, 10) != a.Project })
}

// projects returns the projects of a list: those that the user can see.
func (v *list) projects() (ids []int64) {
	if v.ProjectID != 0 {
		return []int64{v.ProjectID}
	}
	for _, project := range v.Nav.Projects {
		ids = append(ids, project.ID)
	}
	return v.Asked.among(ids)
}

// projectsOf is list.projects for a request without a page.
func (p *pages) projectsOf(r *http.Request, a asked) ([]int64, error) {
	if id := web.Project(r); id != 0 {
		return []int64{id}, nil
	}
	all, err := p.Accounts.VisibleProjectIDs(r.Context(), web.Who(r).User.ID)
	return a.among(all), err
}

// readProjects sets the choices of a list of all projects.
func (v *list) readProjects() {
	v.Projects = web.Choices("", "All projects")
	for _, project := range v.Nav.Projects {
		v.Projects = append(v.Projects, web.Choice{Value: strconv.FormatInt(project.ID, 10), Label: project.Name})
	}
	v.People = web.Choices("", "Unassigned", strconv.FormatInt(v.User.ID, 10), "Me")
}

// nameOf returns the name of the project of a row in a list of all, or "".
func (v *list) nameOf(project int64) string {
	i := slices.IndexFunc(v.Nav.Projects, func(p accounts.NamedProject) bool { return p.ID == project })
	if v.ProjectID != 0 || i < 0 {
		return ""
	}
	return v.Nav.Projects[i].Name
}

// counted returns the projects whose values the panel counts, the most important first.
func (v *list) counted() []int64 {
	if len(v.order) > 0 {
		return v.order
	}
	return v.projects()
}

// bulkPart is what a form about a list changes in one project.
type bulkPart struct {
	r   *http.Request
	ids []int64
}

// partsOf returns what a form changes, for each project. The user may work there in all of them.
func (p *pages) partsOf(r *http.Request, b bulk, name string) (parts []bulkPart, err error) {
	if web.Project(r) != 0 {
		return []bulkPart{{r, b.ids}}, nil
	}
	projects, err := p.projectsOf(r, b.asked)
	for _, project := range projects {
		ids := b.of[project]
		if !b.all && len(ids) == 0 {
			continue
		}
		in, err := p.InProject(r, project, accounts.WorkFaults, name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, bulkPart{in, ids})
	}
	if err == nil && len(parts) == 0 {
		err = errNoneSelected()
	}
	return parts, err
}

func errNoneSelected() error { return sett.Errorf(sett.Invalid, "Select at least one error.") }
