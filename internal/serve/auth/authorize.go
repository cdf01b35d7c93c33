package auth

import (
	"net/http"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

// Authorize checks a permission where the path of a request names the project, team or account that it is about. What a
// user may not even see, or is beyond their token, does not exist. The scope is that of the user there; the zero Scope where the path names none.
func Authorize(s *accountdb.Store, r *http.Request, p accounts.Permission) (scope accounts.Scope, err error) {
	who := PrincipalOf(r.Context())
	user := who.User.ID
	thing, see := "Project", accounts.ReadProject
	switch {
	case r.PathValue("project_id") != "":
		scope, err = s.ProjectScope(r.Context(), user, PathID(r, "project_id"))
	case r.PathValue("team_id") != "":
		thing, see = "Team", accounts.ReadTeam
		scope, err = s.TeamScope(r.Context(), user, PathID(r, "team_id"))
	case r.PathValue("account_id") != "":
		thing, see = "Account", accounts.ReadAccount
		scope, err = s.AccountScope(r.Context(), user, r.PathValue("account_id"))
	default:
		return accounts.Scope{}, nil
	}
	switch {
	case err != nil:
		return scope, err
	case !scope.May(see), !who.Grant.Reaches(scope.AccountID, PathID(r, "project_id")):
		return scope, sett.Errorf(sett.NotFound, "%s not found", thing)
	case !scope.May(p):
		return scope, sett.Errorf(sett.Forbidden, "Your role in this account does not allow this. Ask an admin or owner.")
	}
	return scope, nil
}

// PathID reads an integer id from the path. Anything but a positive integer is 0, which no row has, and so not found.
func PathID(r *http.Request, name string) int64 {
	text := r.PathValue(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 || strconv.FormatInt(id, 10) != text {
		return 0
	}
	return id
}
