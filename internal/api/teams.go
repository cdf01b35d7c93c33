package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

func (a *API) teamRoutes() []serve.Route {
	const tag, list = "Teams", "/v2/teams"
	const one = list + "/{team_id}"
	return []serve.Route{
		{
			Method: "GET", Path: list, Name: "listTeams", Tag: tag, Permission: accounts.SignedIn,
			Query: accountQuery{}, Result: serve.List[Team]{}, Handle: a.listTeams,
			Doc: "List the teams that the user can see, of one account or of all, in order of creation.",
		},
		{
			Method: "POST", Path: list, Name: "createTeam", Tag: tag, Permission: accounts.CreateTeam,
			Query: accountQuery{}, Body: createTeamBody{}, Result: Team{}, Status: http.StatusCreated, Handle: a.createTeam,
			Doc: "Create a team in the given account or the first one that allows it, with the user as its owner and first member.",
		},
		{
			Method: "GET", Path: one, Name: "getTeam", Tag: tag, Permission: accounts.ReadTeam,
			Result: Team{}, Handle: a.getTeam,
			Doc: "Get a team.",
		},
		{
			Method: "PUT", Path: one, Name: "updateTeam", Tag: tag, Permission: accounts.ManageTeam,
			Body: teamBody{}, Status: http.StatusNoContent, Handle: a.updateTeam,
			Doc: "Change the name of a team. Change its projects by their team_ids.",
		},
		{
			Method: "DELETE", Path: one, Name: "deleteTeam", Tag: tag, Permission: accounts.ManageTeam,
			Status: http.StatusNoContent, Handle: a.deleteTeam,
			Doc: "Delete a team and its invitations. Its projects and users stay in the account.",
		},
	}
}

// Team is a team as the contract shows one, with everything in it.
type Team struct {
	ID        int64        `json:"id"`
	Name      string       `json:"name"`
	CreatedAt time.Time    `json:"created_at"`
	Owner     *sett.Person `json:"owner" doc:"User who created the team; null if they have left the account."`
	Members   []TeamMember `json:"members"`
	Projects  []Project    `json:"projects"`

	Invitations []TeamInvitation `json:"invitations" doc:"Empty for users who cannot manage the team."`
}

// viewTeam returns the view of teams: read-only tokens do not see tokens of invitations, because anyone who has one can use
// it to change something.
func viewTeam(r *http.Request) func(accounts.Team) Team {
	invitation := viewTeamInvitation
	if auth.PrincipalOf(r.Context()).ReadOnly {
		invitation = func(i accounts.Invitation) TeamInvitation { return viewTeamInvitation(i.SeenBy("")) }
	}
	return func(t accounts.Team) Team {
		return Team{
			ID: t.ID, Name: t.Name, CreatedAt: t.CreatedAt, Owner: t.Owner, Members: viewAll(t.Members, viewTeamMember),
			Projects: viewAll(t.Projects, viewProject), Invitations: viewAll(t.Invitations, invitation),
		}
	}
}

func (a *API) listTeams(w http.ResponseWriter, r *http.Request) error {
	var q accountQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	filter := accountdb.TeamFilter{AccountID: q.AccountID, Page: page.Page}
	teams, marks, err := a.Accounts.ListTeams(r.Context(), userID(r), filter)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(teams, viewTeam(r)), marks))
}

// teamBody is the body of a team's update.
type teamBody struct {
	Team sett.Optional[accounts.TeamChange] `json:"team" required:"true"`
}

// createTeamBody is the body that makes a team.
type createTeamBody struct {
	Team sett.Optional[accounts.TeamChange] `json:"team" required:"true" needs:"name"`
}

func readTeamChange(w http.ResponseWriter, r *http.Request) (accounts.TeamChange, error) {
	var body teamBody
	return readInside(w, r, &body, &body.Team, "team", `{"name": "Checkout"}`)
}

func (a *API) createTeam(w http.ResponseWriter, r *http.Request) error {
	account, err := a.accountFor(r, accounts.CreateTeam)
	if err != nil {
		return err
	}
	change, err := readTeamChange(w, r)
	if err != nil {
		return err
	}
	t, err := a.Accounts.StartTeam(r.Context(), a.Now(), userID(r), account, change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, viewTeam(r)(t))
}

func (a *API) getTeam(w http.ResponseWriter, r *http.Request) error {
	t, err := a.Accounts.TeamByID(r.Context(), userID(r), pathID(r, "team_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewTeam(r)(t))
}

func (a *API) updateTeam(w http.ResponseWriter, r *http.Request) error {
	change, err := readTeamChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Accounts.UpdateTeam(r.Context(), pathID(r, "team_id"), change))
}

func (a *API) deleteTeam(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Accounts.DeleteTeam(r.Context(), pathID(r, "team_id")))
}
