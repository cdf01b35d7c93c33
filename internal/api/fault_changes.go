package api

import (
	"cmp"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
)

func (a *API) faultChangeRoutes() []serve.Route {
	const tag = "Faults"
	return []serve.Route{
		{
			Method: "PUT", Path: faultPath, Name: "updateFault", Tag: tag, Permission: accounts.WorkFaults,
			Body: faultBody{}, Status: http.StatusNoContent, Handle: a.updateFault,
			Doc: "Update a fault: resolve it, also in a release, ignore or assign it, or resolve it on the next deploy to its environment. Only the fields you send change; null resets a field.",
		},
		{
			Method: "DELETE", Path: faultPath, Name: "deleteFault", Tag: tag, Permission: accounts.WorkFaults,
			Status: http.StatusNoContent, Handle: a.deleteFault,
			Doc: "Delete a fault and its notices. If it occurs again, a new fault is created.",
		},
		{
			Method: "POST", Path: faultPath + "/pause", Name: "pauseFault", Tag: tag, Permission: accounts.WorkFaults,
			Body: faults.Pause{}, Handle: a.pauseFault,
			Doc: "Pause the notifications of a fault for a time or a number of notices, replacing an earlier pause.",
		},
		{
			Method: "POST", Path: faultPath + "/unpause", Name: "unpauseFault", Tag: tag, Permission: accounts.WorkFaults,
			Handle: a.unpauseFault,
			Doc:    "End the pause of a fault.",
		},
		{
			Method: "POST", Path: faultsPath + "/unpause", Name: "unpauseFaults", Tag: tag, Permission: accounts.WorkFaults,
			Handle: a.unpauseFaults,
			Doc:    "End the pauses of all faults of a project.",
		},
		{
			Method: "POST", Path: faultsPath + "/resolve", Name: "resolveFaults", Tag: tag, Permission: accounts.WorkFaults,
			Query: resolveQuery{}, Handle: a.resolveFaults,
			Doc: "Resolve all faults that match a search, or all faults of the project.",
		},
		{
			Method: "POST", Path: faultPath + "/link", Name: "linkFault", Tag: tag, Permission: accounts.WorkFaults,
			Body: linkBody{}, Handle: a.linkFault,
			Doc: "Link a fault with an issue in the issue tracker of an integration, or change the link.",
		},
		{
			Method: "POST", Path: faultPath + "/unlink", Name: "unlinkFault", Tag: tag, Permission: accounts.WorkFaults,
			Body: unlinkBody{}, Handle: a.unlinkFault,
			Doc: "Remove the link between a fault and an issue.",
		},
	}
}

// faultBody is the body of a fault's update.
type faultBody struct {
	Fault sett.Optional[faults.FaultChange] `json:"fault" required:"true"`
}

func (a *API) updateFault(w http.ResponseWriter, r *http.Request) error {
	var body faultBody
	change, err := readInside(w, r, &body, &body.Fault, "fault", `{"resolved": true}`)
	if err != nil {
		return err
	}
	if err := cmp.Or(change.Validate(), onlyUsers(change.AssigneeID)); err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Faults.UpdateFault(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id"), change))
}

// onlyUsers refuses the ids of teams, which are below zero: the interface assigns faults to users.
func onlyUsers(assignee sett.Optional[int64]) error {
	if assignee.Value < 0 {
		return sett.Refuse("assignee_id", "must be the id of a user who can see this project")
	}
	return nil
}

func (a *API) deleteFault(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Faults.DeleteFault(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id")))
}

// pauseFault takes a body without a wrapping, and answers with an empty one, as do the changes below (contract).
func (a *API) pauseFault(w http.ResponseWriter, r *http.Request) error {
	var body faults.Pause
	if _, err := serve.DecodeBody(w, r, &body); err != nil {
		return err
	}
	return done(w, http.StatusOK, a.Faults.PauseFault(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id"), body))
}

func (a *API) unpauseFault(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusOK, a.Faults.UnpauseFault(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id")))
}

func (a *API) unpauseFaults(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusOK, a.Faults.UnpauseFaults(r.Context(), a.Now(), userID(r), pathID(r, "project_id")))
}

// resolveQuery says which faults are resolved.
type resolveQuery struct {
	Q string `query:"q" doc:"A search, as for the list of faults; if absent, all faults of the project."`
}

func (a *API) resolveFaults(w http.ResponseWriter, r *http.Request) error {
	var q resolveQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return err
	}
	if r.ContentLength != 0 { // there is nothing to say in a body, but a q in the wrong place must not resolve everything
		var body resolveQuery
		if _, err := serve.DecodeBody(w, r, &body); err != nil {
			return err
		}
		if body.Q != "" {
			return sett.Errorf(sett.Invalid, "Send q in the query string, not in the body, to select the faults.")
		}
	}
	var problems sett.Problems
	filter := faultQuery{Q: q.Q}.filter(&problems, userID(r), a.Now())
	if err := problems.Refusal(); err != nil {
		return err
	}
	_, err := a.Search.ResolveFaults(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), filter)
	return done(w, http.StatusOK, err)
}

// linkBody is the body of a link of a fault.
type linkBody struct {
	ChannelID sett.Optional[int64]           `json:"channel_id" required:"true" doc:"Id of an integration of the project."`
	Data      sett.Optional[triage.LinkData] `json:"data" required:"true" doc:"Identifies the issue. GitHub, GitLab, Bitbucket: number; Jira: id, key, self; Pivotal: story_id, project_id, pivotal_url; Trello: id, shortUrl."`
}

func (a *API) linkFault(w http.ResponseWriter, r *http.Request) error {
	var body linkBody
	if _, err := serve.DecodeBody(w, r, &body); err != nil {
		return err
	}
	var problems sett.Problems
	sett.CheckSent(&problems, "channel_id", body.ChannelID, "an integer")
	sett.CheckSent(&problems, "data", body.Data, "an object")
	if err := problems.Refusal(); err != nil {
		return err
	}
	err := a.Faults.LinkFault(r.Context(), a.Now(), pathID(r, "project_id"), pathID(r, "fault_id"), body.ChannelID.Value, body.Data.Value)
	return done(w, http.StatusOK, err)
}

// unlinkBody is the body that ends a link of a fault.
type unlinkBody struct {
	ChannelID sett.Optional[int64] `json:"channel_id" required:"true" doc:"Id of an integration of the project."`
}

func (a *API) unlinkFault(w http.ResponseWriter, r *http.Request) error {
	var body unlinkBody
	if _, err := serve.DecodeBody(w, r, &body); err != nil {
		return err
	}
	var problems sett.Problems
	sett.CheckSent(&problems, "channel_id", body.ChannelID, "an integer")
	if err := problems.Refusal(); err != nil {
		return err
	}
	return done(w, http.StatusOK, a.Faults.UnlinkFault(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), body.ChannelID.Value))
}
