package shape

import (
	"time"

	"sett/internal/sett/accounts"
)

// Project is a project without the keys of its clients, its users and its sites.
type Project struct {
	ID                    ID         `json:"id"`
	AccountID             ID         `json:"account_id"`
	Name                  string     `json:"name"`
	Active                bool       `json:"active"`
	DisablePublicLinks    bool       `json:"disable_public_links"`
	Environments          []string   `json:"environments"`
	ResolveErrorsOnDeploy bool       `json:"resolve_errors_on_deploy"`
	UserURL               string     `json:"user_url"`
	SourceURL             string     `json:"source_url"`
	UserSearchField       string     `json:"user_search_field"`
	Asana                 *string    `json:"asana_workspace_id" doc:"Always null."`
	Throttle              *int64     `json:"customer_throttle" doc:"Always null."`
	Language              *string    `json:"language"`
	FaultCount            int64      `json:"fault_count"`
	UnresolvedFaultCount  int64      `json:"unresolved_fault_count"`
	LastNoticeAt          *time.Time `json:"last_notice_at"`
	EarliestNoticeAt      *time.Time `json:"earliest_notice_at"`
	PurgeDays             int64      `json:"purge_days"`
	CreatedAt             time.Time  `json:"created_at"`
	Links                 Links      `json:"links"`
}

// Put sets the links.
func (p *Project) Put(at Place) { p.Links = at.projectPage(p.ID) }

func (p Place) projectPage(project ID) Links { return p.Page("/projects/%s/faults", project) }

// ProjectName is a project as messages about its objects have it.
type ProjectName struct {
	ID        ID        `json:"id"`
	Name      string    `json:"name"`
	Language  *string   `json:"language"`
	CreatedAt time.Time `json:"created_at"`
	Links     Links     `json:"links"`
}

// ProjectNameOf returns a project for a message.
func ProjectNameOf(p accounts.Project, at Place) ProjectName {
	return ProjectName{Number(p.ID), p.Name, text(p.Language), p.CreatedAt, at.projectPage(Number(p.ID))}
}
