package uptimedb

import (
	"context"
	"database/sql"
	"errors"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// MostAliases is how many aliases a check-in has at most.
const MostAliases = 10

const addAlias = `-- uptimedb.addAlias
INSERT INTO check_in_aliases (hash, check_in) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`

const dropAliases = `-- uptimedb.dropAliases
DELETE FROM check_in_aliases WHERE check_in = $1`

// SetAliases makes these the aliases of a check-in: texts by which its job asks for it. One that another check-in has stays there.
func (t Tx) SetAliases(ctx context.Context, number int64, aliases []string) error {
	if _, err := t.Exec(ctx, dropAliases, number); err != nil {
		return err
	}
	for _, alias := range aliases[:min(len(aliases), MostAliases)] {
		if _, err := t.Exec(ctx, addAlias, db.HashOfToken(alias), number); err != nil {
			return err
		}
	}
	return nil
}

const checkInOfAlias = `-- uptimedb.checkInOfAlias
SELECT c.id FROM check_in_aliases a JOIN check_ins c ON c.number = a.check_in WHERE a.hash = $1`

// CheckInOfAlias returns the id of the check-in that has an alias, or a NotFound error. It takes the same time whatever the alias is.
func (s *Store) CheckInOfAlias(ctx context.Context, alias string) (id string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(checkInOfAlias), db.HashOfToken(alias)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", sett.Errorf(sett.NotFound, "Check-in not found")
	}
	return id, s.db.Explain(db.Wrap("find the check-in of an alias", err))
}
