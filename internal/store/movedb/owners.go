package movedb

import (
	"context"

	"sett/internal/sett/move"
	"sett/internal/sett/owner"
)

const setOwners = `-- movedb.setOwners
UPDATE projects SET ownership = $2 WHERE id = $1 AND ownership = ''`

// Owners gives a project ownership rules, if it has none and none came before. It returns whether it did.
func (s *Store) Owners(ctx context.Context, from move.Place, projectID int64, p move.Project, rules owner.Settings) (made bool, err error) {
	err = s.inTx(ctx, "import ownership rules", func(t Tx) error {
		of := things{from, kindOwners}
		had, err := s.imported(ctx, t, of, []string{p.ID})
		if err != nil || len(had) > 0 {
			return err
		}
		n, err := t.Changed(ctx, setOwners, projectID, rules.Text())
		if err != nil {
			return err
		}
		made = n > 0
		return t.noteImported(ctx, of, p.ID, projectID, projectID, "")
	})
	return made, err
}
