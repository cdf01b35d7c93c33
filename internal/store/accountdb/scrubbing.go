package accountdb

import (
	"context"

	"sett/internal/sett/scrub"
	"sett/internal/store/db"
)

const projectScrubbing = `-- accountdb.Scrubbing
SELECT scrubbing FROM projects WHERE id = $1`

// Scrubbing returns what is removed from the events of a project, or a NotFound error.
func (s *Store) Scrubbing(ctx context.Context, projectID int64) (scrub.Settings, error) {
	var text string
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(projectScrubbing), projectID).Scan(&text)
	return scrub.SettingsOf(text), s.db.Explain(db.NotFound(err, "Project", "read scrubbing"))
}

const holdScrubbing = projectScrubbing + ` {{for update}}`

const setScrubbing = `-- accountdb.setScrubbing
UPDATE projects SET scrubbing = $2 WHERE id = $1`

// UpdateScrubbing changes what is removed from the events of a project. The error is Invalid if the change cannot be applied.
func (s *Store) UpdateScrubbing(ctx context.Context, projectID int64, change scrub.ScrubbingChange) error {
	return s.inTx(ctx, "update scrubbing", func(t Tx) error {
		var text string
		if err := t.QueryRowContext(ctx, s.db.Text(holdScrubbing), projectID).Scan(&text); err != nil {
			return db.NotFound(err, "Project", "read scrubbing")
		}
		settings, err := change.Apply(scrub.SettingsOf(text))
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, setScrubbing, projectID, settings.Text())
		return err
	})
}
