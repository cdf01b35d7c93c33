package sheet

import (
	"context"

	"sett/internal/store/db"
)

// Guide is how far a project is set up.
type Guide struct {
	Closed     bool // people dismissed it
	Began      bool // an error was stored
	Language   string
	Channel    bool // an active channel is notified of new errors
	People     bool // the account has more than one user, or invited one
	Deploys    bool
	Sites      bool
	SourceMaps bool
}

// Each part stops at the first row that it finds.
const guide = `-- sheet.OfGuide
SELECT p.guide_closed, EXISTS (SELECT 1 FROM faults f WHERE f.project_id = p.id), p.language,
    EXISTS (SELECT 1 FROM integrations i WHERE i.project_id = p.id AND i.active AND i.events LIKE '%"occurred"%'),
    EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = p.account_id LIMIT 1 OFFSET 1) OR EXISTS (SELECT 1 FROM invitations i WHERE i.account_id = p.account_id),
    EXISTS (SELECT 1 FROM deploys d WHERE d.project_id = p.id),
    EXISTS (SELECT 1 FROM sites s WHERE s.project_id = p.id),
    EXISTS (SELECT 1 FROM source_maps m WHERE m.project_id = p.id)
FROM projects p WHERE p.id = $1`

// OfGuide returns the guide of a project, or a NotFound error.
func (s *Store) OfGuide(ctx context.Context, projectID int64) (g Guide, err error) {
	row := s.DB.Read.QueryRowContext(ctx, s.DB.Text(guide), projectID)
	err = row.Scan(&g.Closed, &g.Began, &g.Language, &g.Channel, &g.People, &g.Deploys, &g.Sites, &g.SourceMaps)
	return g, s.DB.Explain(db.NotFound(err, "Project", "read guide"))
}
