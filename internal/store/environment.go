package store

import (
	"context"

	"sett/internal/sett"
)

const projectEnvironments = `-- store.projects environments
SELECT project_id, name FROM environments WHERE project_id IN `

// environments are named in the order in which they were first seen.
func (r *projectReader) environments(ctx context.Context) error {
	var name string
	return r.each(ctx, projectEnvironments, " ORDER BY id", func(p *sett.Project) {
		p.Environments = append(p.Environments, name)
	}, &name)
}
