package notify

import (
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// projectBlock is a project as payloads show one (wire.md §5.4).
type projectBlock struct {
	ID                   int64              `json:"id"`
	Name                 string             `json:"name"`
	Token                string             `json:"token" doc:"The API key that clients report with."`
	CreatedAt            time.Time          `json:"created_at"`
	DisablePublicLinks   bool               `json:"disable_public_links"`
	PivotalProjectID     *string            `json:"pivotal_project_id" doc:"Always null."`
	AsanaWorkspaceID     *string            `json:"asana_workspace_id" doc:"Always null."`
	GithubProject        *string            `json:"github_project" doc:"Always null."`
	Environments         []environmentBlock `json:"environments" doc:"The first 100. If the project has none, a placeholder with the id 0."`
	Owner                *sett.Person       `json:"owner"`
	LastNoticeAt         *time.Time         `json:"last_notice_at"`
	EarliestNoticeAt     *time.Time         `json:"earliest_notice_at"`
	UnresolvedFaultCount int64              `json:"unresolved_fault_count"`
	FaultCount           int64              `json:"fault_count"`
	Active               bool               `json:"active" doc:"If false, the API key is refused."`
	Users                []sett.Person      `json:"users" doc:"The first 100 users who can see the project."`
	Sites                []projectSiteBlock `json:"sites" doc:"The first 100."`
	TeamID               *int64             `json:"team_id" doc:"The first team that can see the project; null for none."`
}

// environmentBlock is an environment as payloads show one.
type environmentBlock struct {
	ID            int64     `json:"id"`
	ProjectID     int64     `json:"project_id"`
	Name          string    `json:"name"`
	Notifications bool      `json:"notifications" doc:"If false, events in this environment send no notifications."`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// projectSiteBlock is an uptime check as its project shows one.
type projectSiteBlock struct {
	ID            string     `json:"id"`
	Active        bool       `json:"active"`
	LastCheckedAt *time.Time `json:"last_checked_at"`
	Name          string     `json:"name"`
	State         string     `json:"state" enum:"pending,up,down"`
	URL           string     `json:"url"`
}

func (s *alertContext) projectBlock() projectBlock {
	p := s.project
	b := projectBlock{
		ID: p.ID, Name: p.Name, Token: p.Token, CreatedAt: p.CreatedAt, DisablePublicLinks: p.DisablePublicLinks, Owner: p.Owner,
		LastNoticeAt: nullTime(p.LastNoticeAt), EarliestNoticeAt: nullTime(p.EarliestNoticeAt), UnresolvedFaultCount: p.UnresolvedCount,
		FaultCount: p.FaultCount, Active: p.Active, Users: firstOf(p.Users), Sites: []projectSiteBlock{}, Environments: []environmentBlock{},
	}
	for _, e := range s.environments {
		b.Environments = append(b.Environments, environmentBlock{e.ID, e.ProjectID, e.Name, e.Notifications, e.CreatedAt, e.UpdatedAt})
	}
	for _, site := range firstOf(p.Sites) {
		b.Sites = append(b.Sites, projectSiteBlock{site.ID.String(), site.Active, nullTime(site.LastCheckedAt), site.Name, string(site.State), checks.ShownAddress(site.URL)})
	}
	if len(p.Teams) > 0 {
		b.TeamID = &p.Teams[0].ID
	}
	return b
}

// firstOf returns what a payload lists of all; never nil.
func firstOf[T any](all []T) []T { return append([]T{}, all[:min(len(all), mostListed)]...) }

// nullTime is how payloads write a time that may not be known.
func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// nullText is how payloads write a text that may not be there.
func nullText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
