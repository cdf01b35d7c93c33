package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/store/accountdb"
)

const (
	directoryPath       = "/v2/accounts/{account_id}/directory"
	directoryGroupsPath = directoryPath + "/groups"
	directoryGroupPath  = directoryGroupsPath + "/{group_id}"
)

func (a *API) directoryRoutes() []serve.Route {
	const tag = "Directory"
	return []serve.Route{
		{
			Method: "GET", Path: directoryPath, Name: "getDirectory", Tag: tag, Permission: accounts.ManageDirectory,
			Result: Directory{}, Handle: a.getDirectory,
			Doc: "Get the directory of an account: its email domains, how people are provisioned and signed in. Secrets are not shown. Only owners can.",
		},
		{
			Method: "GET", Path: directoryGroupsPath, Name: "listDirectoryGroups", Tag: tag, Permission: accounts.ManageDirectory,
			Result: []DirectoryGroup{}, Handle: a.listDirectoryGroups,
			Doc: "List all groups of the directory, oldest first.",
		},
		{
			Method: "GET", Path: directoryGroupPath, Name: "getDirectoryGroup", Tag: tag, Permission: accounts.ManageDirectory,
			Result: DirectoryGroup{}, Handle: a.getDirectoryGroup,
			Doc: "Get a group of the directory.",
		},
		{
			Method: "PUT", Path: directoryGroupPath, Name: "updateDirectoryGroup", Tag: tag, Permission: accounts.ManageDirectory,
			Body: directoryGroupBody{}, Status: http.StatusNoContent, Handle: a.updateDirectoryGroup,
			Doc: "Set the role and the team that the people of a group get. They follow at once. Only the fields you send change. The last owner stays an owner.",
		},
	}
}

// Directory is what an account has of a directory.
type Directory struct {
	Domains        []DirectoryDomain `json:"domains"`
	DefaultRole    accounts.Role     `json:"default_role" enum:"Member,Billing,Admin" doc:"Of people whose groups give them none."`
	JustInTime     bool              `json:"just_in_time" doc:"People who sign in by SAML for the first time join the account."`
	GroupAttribute string            `json:"group_attribute" doc:"The SAML attribute with groups; empty for the names that sett knows."`
	Required       bool              `json:"single_sign_on_required" doc:"People with an address in a verified domain have to use single sign-on."`

	SCIM DirectorySCIM `json:"scim"`
	SAML DirectorySAML `json:"saml"`
}

// DirectoryDomain is a domain of email addresses.
type DirectoryDomain struct {
	Name       string     `json:"name"`
	Verified   bool       `json:"verified"`
	VerifiedAt *time.Time `json:"verified_at" doc:"Null if it is not verified."`
	RecordName string     `json:"record_name" doc:"Where the TXT record has to be."`
	Record     string     `json:"record" doc:"The text of the TXT record."`
}

// DirectorySCIM is how people and groups are provisioned.
type DirectorySCIM struct {
	Token     bool       `json:"token" doc:"There is a token."`
	CreatedAt *time.Time `json:"created_at" doc:"When the token was created."`
	UsedAt    *time.Time `json:"used_at" doc:"When it was last used."`
}

// DirectorySAML is how people are signed in.
type DirectorySAML struct {
	Provider    string     `json:"provider" doc:"The entity ID of the identity provider; empty for none."`
	MetadataURL string     `json:"metadata_url" doc:"Empty if its metadata was pasted."`
	ReadAt      *time.Time `json:"read_at" doc:"When its metadata was last read."`
	Problem     string     `json:"problem" doc:"Why it could not be read since; empty if it could."`
}

// DirectoryGroup is a group of a directory.
type DirectoryGroup struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	ExternalID string         `json:"external_id" doc:"Its id in the directory; empty if it is unknown."`
	Source     string         `json:"source" enum:"scim,saml" doc:"Whether the directory sent it, or sign-ins named it."`
	Role       *accounts.Role `json:"role" enum:"Member,Billing,Admin,Owner" doc:"Null if it gives none."`
	TeamID     *int64         `json:"team_id" doc:"Null if it gives none."`
	People     int64          `json:"people" doc:"How many are in it."`
	CreatedAt  time.Time      `json:"created_at"`
	UpdatedAt  time.Time      `json:"updated_at"`
}

func viewDirectoryDomain(d directory.Domain) DirectoryDomain {
	return DirectoryDomain{Name: d.Name, Verified: !d.VerifiedAt.IsZero(), VerifiedAt: nullTime(d.VerifiedAt), RecordName: d.RecordName(), Record: d.Proof}
}

func viewDirectoryGroup(g directory.Group) DirectoryGroup {
	v := DirectoryGroup{ID: g.ID, Name: g.Name, ExternalID: g.ExternalID, Source: "scim", People: g.People, CreatedAt: g.CreatedAt, UpdatedAt: g.UpdatedAt}
	if g.SignedIn {
		v.Source = "saml"
	}
	if g.Role != "" {
		v.Role = &g.Role
	}
	if g.TeamID != 0 {
		v.TeamID = &g.TeamID
	}
	return v
}

func (a *API) getDirectory(w http.ResponseWriter, r *http.Request) error {
	account := r.PathValue("account_id")
	d, err := a.Accounts.Directory(r.Context(), account)
	if err != nil {
		return err
	}
	domains, err := a.Accounts.Domains(r.Context(), account)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, Directory{
		Domains: viewAll(domains, viewDirectoryDomain), DefaultRole: d.DefaultRole, JustInTime: d.JustInTime, GroupAttribute: d.GroupAttribute, Required: d.Required,
		SCIM: DirectorySCIM{Token: d.HasToken, CreatedAt: nullTime(d.TokenMadeAt), UsedAt: nullTime(d.UsedAt)},
		SAML: DirectorySAML{Provider: d.Provider(), MetadataURL: d.MetadataURL, ReadAt: nullTime(d.ReadAt), Problem: d.Problem},
	})
}

func (a *API) listDirectoryGroups(w http.ResponseWriter, r *http.Request) error {
	groups, _, err := a.Accounts.ListDirectoryGroups(r.Context(), r.PathValue("account_id"), accountdb.DirectoryFilter{Count: directory.MostGroups}, false)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(groups, viewDirectoryGroup))
}

func (a *API) getDirectoryGroup(w http.ResponseWriter, r *http.Request) error {
	g, err := a.Accounts.DirectoryGroup(r.Context(), r.PathValue("account_id"), r.PathValue("group_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewDirectoryGroup(g))
}

// directoryGroupBody is the body of an update of a group.
type directoryGroupBody struct {
	Group sett.Optional[directory.GroupChange] `json:"group" required:"true"`
}

func (a *API) updateDirectoryGroup(w http.ResponseWriter, r *http.Request) error {
	account, id := r.PathValue("account_id"), r.PathValue("group_id")
	if _, err := a.Accounts.DirectoryGroup(r.Context(), account, id); err != nil { // said before what is wrong with the body
		return err
	}
	var body directoryGroupBody
	change, err := readOwn(w, r, &body, &body.Group, "group", `{"role": "Admin", "team_id": null}`, DirectoryGroup{})
	if err != nil {
		return err
	}
	_, _, err = a.Accounts.ChangeDirectoryGroup(r.Context(), a.Now(), account, id, change.Apply)
	return done(w, http.StatusNoContent, err)
}
