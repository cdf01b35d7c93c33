package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
)

func (a *API) faultShareRoutes() []serve.Route {
	const tag = "Faults"
	return []serve.Route{
		{
			Method: "GET", Path: faultPath + "/share", Name: "getFaultShare", Tag: tag, Permission: accounts.ReadProject,
			Result: FaultShare{}, Handle: a.getFaultShare,
			Doc: "Get the public link of a fault: who created it, and when. The URL is shown only when the link is created.",
		},
		{
			Method: "POST", Path: faultPath + "/share", Name: "shareFault", Tag: tag, Permission: accounts.WorkFaults,
			Result: CreatedFaultShare{}, Status: http.StatusCreated, Handle: a.shareFault,
			Doc: "Create a public link to a fault. It replaces an earlier link. Refused if the project has disable_public_links.",
		},
		{
			Method: "DELETE", Path: faultPath + "/share", Name: "unshareFault", Tag: tag, Permission: accounts.WorkFaults,
			Status: http.StatusNoContent, Handle: a.unshareFault,
			Doc: "Delete the public link of a fault.",
		},
	}
}

// FaultShare is what is known of the public link of a fault.
type FaultShare struct {
	FaultID   int64        `json:"fault_id"`
	MadeBy    *sett.Person `json:"made_by" doc:"Null if the user no longer exists."`
	CreatedAt time.Time    `json:"created_at"`
	Disabled  bool         `json:"disabled" doc:"True while the project does not allow public links; the link then shows nothing."`
}

// CreatedFaultShare is a public link when it is made.
type CreatedFaultShare struct {
	FaultShare
	URL string `json:"url" doc:"Anyone with this URL can read the fault. It is shown only once."`
}

func (a *API) getFaultShare(w http.ResponseWriter, r *http.Request) error {
	share, err := a.Faults.ShareOfFault(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewShare(share))
}

func viewShare(s faults.FaultShare) FaultShare {
	return FaultShare{FaultID: s.FaultID, MadeBy: s.MadeBy, CreatedAt: s.CreatedAt, Disabled: s.Disabled}
}

func (a *API) shareFault(w http.ResponseWriter, r *http.Request) error {
	project, fault, token := pathID(r, "project_id"), pathID(r, "fault_id"), sett.NewShareToken()
	if err := a.Faults.ShareFault(r.Context(), a.Now(), userID(r), project, fault, auth.HashToken(token)); err != nil {
		return err
	}
	share, err := a.Faults.ShareOfFault(r.Context(), project, fault)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, CreatedFaultShare{viewShare(share), a.BaseURL + "/share/" + token})
}

func (a *API) unshareFault(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Faults.UnshareFault(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id")))
}
