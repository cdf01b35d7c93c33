package faultdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

const integrationType = `-- faultdb.integrationType
SELECT type FROM integrations WHERE project_id = $1 AND id = $2`

const putFaultLink = `-- faultdb.LinkFault
INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (fault_id, integration_id) DO UPDATE SET data = excluded.data, updated_at = excluded.updated_at, issue_state = '', issue_at = 0`

// LinkFault links a fault to an issue in an integration's tracker, or changes that link. The error is NotFound if the project has no such
// fault, and Invalid if it has no such integration or the data does not fit the integration's type.
func (s *Store) LinkFault(ctx context.Context, now time.Time, projectID, faultID, integrationID int64, data triage.LinkData) error {
	return s.linkFault(ctx, now, projectID, faultID, integrationID, func(kind string) (triage.LinkData, error) { return data, data.Validate(kind) })
}

// LinkFaultAt is LinkFault for the issue with the given URL.
func (s *Store) LinkFaultAt(ctx context.Context, now time.Time, projectID, faultID, integrationID int64, address string) error {
	return s.linkFault(ctx, now, projectID, faultID, integrationID, func(kind string) (triage.LinkData, error) { return triage.IssueAt(kind, address) })
}

func (s *Store) linkFault(ctx context.Context, now time.Time, projectID, faultID, integrationID int64, dataFor func(kind string) (triage.LinkData, error)) error {
	return s.inTx(ctx, "link fault", func(t Tx) error {
		kind, err := t.Linkable(ctx, projectID, faultID, integrationID)
		if err != nil {
			return err
		}
		data, err := dataFor(kind)
		if err != nil {
			return err
		}
		text, err := json.Marshal(data)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, putFaultLink, faultID, integrationID, string(text), db.Micros(now))
		return err
	})
}

// Linkable returns the type of the integration if both it and the fault belong to the project.
func (t Tx) Linkable(ctx context.Context, projectID, faultID, integrationID int64) (kind string, err error) {
	if err := t.s.checkFault(ctx, t, projectID, faultID); err != nil {
		return "", err
	}
	err = t.QueryRowContext(ctx, t.s.db.Text(integrationType), projectID, integrationID).Scan(&kind)
	if errors.Is(err, sql.ErrNoRows) {
		return "", sett.Refuse("channel_id", "must be the id of an integration of this project")
	}
	return kind, err
}

const deleteFaultLink = `-- faultdb.UnlinkFault
DELETE FROM fault_links WHERE fault_id = $1 AND integration_id = $2`

// UnlinkFault deletes the link of a fault with an integration, if there is one; its errors are those of LinkFault.
func (s *Store) UnlinkFault(ctx context.Context, projectID, faultID, integrationID int64) error {
	return s.inTx(ctx, "unlink fault", func(t Tx) error {
		if _, err := t.Linkable(ctx, projectID, faultID, integrationID); err != nil {
			return err
		}
		_, err := t.Exec(ctx, deleteFaultLink, faultID, integrationID)
		return err
	})
}

const faultLinks = `-- faultdb.FaultLinks
SELECT l.integration_id, i.type, l.data, l.created_at, l.updated_at
FROM faults f JOIN fault_links l ON l.fault_id = f.id JOIN integrations i ON i.id = l.integration_id
WHERE f.project_id = $1 AND f.id = $2 ORDER BY l.integration_id`

// FaultLinks returns the links of a fault, as faultLinks.
func (s *Store) FaultLinks(ctx context.Context, projectID, faultID int64) ([]triage.FaultLink, error) {
	links, err := s.faultLinks(ctx, s.db.Read, projectID, faultID)
	return links, s.db.Explain(db.Wrap("read links of fault", err))
}

// faultLinks returns the links of a fault, oldest integration first; none if the project has no such fault.
func (s *Store) faultLinks(ctx context.Context, q db.Querier, projectID, faultID int64) (links []triage.FaultLink, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(faultLinks), projectID, faultID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var l triage.FaultLink
		var data string
		var created, updated int64
		if err := rows.Scan(&l.IntegrationID, &l.Type, &data, &created, &updated); err != nil {
			return err
		}
		l.CreatedAt, l.UpdatedAt = db.FromMicros(created), db.FromMicros(updated)
		err := json.Unmarshal([]byte(data), &l.Data)
		links = append(links, l)
		return err
	})
	return links, err
}
