package deliverydb

import (
	"context"
	"database/sql"
	"errors"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

const escalationTarget = `-- deliverydb.escalationTarget
SELECT i.id FROM integrations i WHERE i.project_id = $1 AND i.id = $2 AND i.id <> $3 {{for key share}}`

const putEscalation = `-- deliverydb.putEscalation
INSERT INTO escalation_rules (integration_id, to_id, minutes) VALUES ($1, $2, $3)
ON CONFLICT (integration_id) DO UPDATE SET to_id = excluded.to_id, minutes = excluded.minutes`

const dropEscalation = `-- deliverydb.dropEscalation
DELETE FROM escalation_rules WHERE integration_id = $1`

// setEscalation writes where the alerts of an integration are sent on to; nil for nowhere. The error is Invalid if there is no such other
// integration in the project. Alerts that wait already go on waiting as long as they were to.
func (t Tx) setEscalation(ctx context.Context, projectID, id int64, e *alerts.Escalation) error {
	if e == nil {
		_, err := t.Exec(ctx, dropEscalation, id)
		return err
	}
	err := t.QueryRowContext(ctx, t.s.db.Text(escalationTarget), projectID, e.ChannelID, id).Scan(new(int64))
	if errors.Is(err, sql.ErrNoRows) {
		var p sett.Problems
		p.Add("escalation.channel_id", "must be the id of another channel of this project; %d is none", e.ChannelID)
		return p.Refusal()
	}
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, putEscalation, id, e.ChannelID, e.Minutes)
	return err
}
