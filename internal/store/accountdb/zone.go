package accountdb

import (
	"context"

	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// ZoneOf is the time zone of a user u in a query: the one that they chose, else that of their browser; ” if it is unknown.
const ZoneOf = `coalesce(nullif(u.zone, ''), u.browser_zone)`

const setZone = `-- accountdb.SetZone
UPDATE users SET zone = $2 WHERE id = $1`

// SetZone chooses the time zone of the user of a session; "" follows their browser. A zone that does not exist is an Invalid error.
func (s *Store) SetZone(ctx context.Context, by signin.Session, zone string) error {
	var p sett.Problems
	sett.CheckTimeZone(&p, "zone", zone)
	if err := p.Refusal(); err != nil {
		return err
	}
	return s.ChangeOwn(ctx, "set time zone", by, func(t Tx) error {
		if _, err := t.Exec(ctx, setZone, by.UserID, zone); err != nil {
			return err
		}
		return t.auditOwn(ctx, by.UserID, map[string]any{"zone": zone})
	})
}

const seeZone = `-- accountdb.seeZone
UPDATE users SET browser_zone = $2 WHERE id = $1 AND browser_zone <> $2`

// seeZone records the time zone of a user's browser, if it is known.
func (t Tx) seeZone(ctx context.Context, userID int64, zone string) error {
	if zone == "" {
		return nil
	}
	_, err := t.Exec(ctx, seeZone, userID, zone)
	return err
}
