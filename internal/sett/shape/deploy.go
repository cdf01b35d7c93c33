package shape

import (
	"time"

	"sett/internal/sett/faults"
)

// Deploy is a deploy.
type Deploy struct {
	ID            ID        `json:"id"`
	ProjectID     ID        `json:"project_id"`
	Environment   string    `json:"environment"`
	Revision      string    `json:"revision"`
	Repository    string    `json:"repository"`
	LocalUsername string    `json:"local_username"`
	CreatedAt     time.Time `json:"created_at"`
}

// DeployOf returns a deploy; nil for none.
func DeployOf(d *faults.Deploy) *Deploy {
	if d == nil {
		return nil
	}
	return &Deploy{Number(d.ID), Number(d.ProjectID), d.Environment, d.Revision, d.Repository, d.LocalUsername, d.CreatedAt}
}
