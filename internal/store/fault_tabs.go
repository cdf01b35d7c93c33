package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
)

const countStates = `-- store.countStates
SELECT resolved, ignored, count(*) FROM faults WHERE project_id = $1 AND ($2 = '' OR environment = $2) GROUP BY resolved, ignored`

const countNew = `-- store.countNew
SELECT count(*) FROM faults WHERE project_id = $1 AND resolved = false AND ignored = false AND created_at >= $2
AND ($3 = '' OR environment = $3)`

const countMine = `-- store.countMine
SELECT count(*) FROM faults WHERE assignee_id = $1 AND project_id = $2 AND NOT resolved AND NOT ignored AND ($3 = '' OR environment = $3)`

// FaultTabs returns how many faults of a project the tabs of a user's list have, in one environment or, when that is "",
// in all.
func (s *Store) FaultTabs(ctx context.Context, now time.Time, projectID, userID int64, environment string) (tabs sett.FaultTabs, err error) {
	err = s.snapshot(ctx, "count faults of tabs", func(q querier) error {
		tabs = sett.FaultTabs{}
		if err := s.countStates(ctx, q, projectID, environment, &tabs); err != nil {
			return err
		}
		deploy, err := s.lastDeployTo(ctx, q, projectID, environment)
		if err != nil {
			return err
		}
		if deploy != nil {
			tabs.Deployed = deploy.CreatedAt
		}
		tabs.NewSince = sett.NewSince(tabs.Deployed, now)
		fresh := q.QueryRowContext(ctx, s.text(countNew), projectID, micros(tabs.NewSince), environment).Scan(&tabs.New)
		mine := q.QueryRowContext(ctx, s.text(countMine), userID, projectID, environment).Scan(&tabs.Mine)
		return errors.Join(fresh, mine)
	})
	return tabs, err
}

func (s *Store) countStates(ctx context.Context, q querier, projectID int64, environment string, tabs *sett.FaultTabs) error {
	rows, err := q.QueryContext(ctx, s.text(countStates), projectID, environment)
	return scanAll(rows, err, func(rows *sql.Rows) error {
		var resolved, ignored bool
		var n int64
		err := rows.Scan(&resolved, &ignored, &n)
		if resolved {
			tabs.Resolved += n
		}
		if ignored {
			tabs.Ignored += n
		}
		if !resolved && !ignored {
			tabs.Unresolved += n
		}
		return err
	})
}

const lastDeployTo = findDeploys + ` AND ($2 = '' OR environment IN ($2, '')) ORDER BY created_at DESC, id DESC LIMIT 1`

// lastDeployTo returns the last deploy of a project to an environment, which one of the whole project is as well, or to
// any when that is ""; nil when there was none.
func (s *Store) lastDeployTo(ctx context.Context, q querier, projectID int64, environment string) (*sett.Deploy, error) {
	found, err := s.deploys(ctx, q, lastDeployTo, projectID, environment)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}
