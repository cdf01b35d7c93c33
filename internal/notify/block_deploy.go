package notify

import (
	"time"

	"sett/internal/sett/faults"
)

// deployBlock is a deploy as payloads show one (wire.md §1.6). What is unknown is an empty text.
type deployBlock struct {
	ID            int64     `json:"id"`
	ProjectID     int64     `json:"project_id"`
	Environment   string    `json:"environment" doc:"Empty for a deploy of the whole project."`
	Revision      string    `json:"revision"`
	Repository    string    `json:"repository"`
	LocalUsername string    `json:"local_username"`
	CreatedAt     time.Time `json:"created_at"`
	Changelog     []string  `json:"changelog" doc:"Always empty: sett does not read repositories."`
	URL           *string   `json:"url" doc:"Comparison with the previous deploy at the repository's host; null when unknown."`
}

func blockOfDeploy(d *faults.Deploy) *deployBlock {
	if d == nil {
		return nil
	}
	return &deployBlock{
		ID: d.ID, ProjectID: d.ProjectID, Environment: d.Environment, Revision: d.Revision, Repository: d.Repository,
		LocalUsername: d.LocalUsername, CreatedAt: d.CreatedAt, Changelog: []string{}, URL: nullText(d.CompareURL()),
	}
}
