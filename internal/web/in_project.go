package web

import (
	"net/http"
	"strconv"

	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
)

// InProject returns the request of a form about several projects as one about one of them, after it has checked a permission there. Changes are
// in the audit log as those of the form with the same name on the pages of the project.
func (p *Pages) InProject(r *http.Request, project int64, permission accounts.Permission, name string) (*http.Request, error) {
	v := *visitOf(r)
	v.route.Name, v.route.Path = name, "/projects/{project_id}"+v.route.Path
	r = r.Clone(withVisit(r.Context(), &v))
	r.SetPathValue("project_id", strconv.FormatInt(project, 10))
	var err error
	if v.scope, err = auth.Authorize(p.Accounts, r, permission); err != nil {
		return nil, err
	}
	return p.audited(r, v.route, v.scope), nil
}
