package deliverydb

import (
	"context"
	"database/sql"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

// owned is what the ownership rules of a project say about the fault of an alert.
type owned struct {
	only     []int64      // users who are the only ones to receive it personally; none: all
	assignee *sett.Person // to whom a new fault is assigned
	from     string       // name of the repository whose CODEOWNERS file decided; "" for a rule of the project
}

const ownershipOfProjects = `-- deliverydb.ownershipOfProjects
SELECT p.id, p.ownership FROM {{rows k(id bigint)}} JOIN projects p ON p.id = k.id WHERE p.ownership <> ''`

// readOwners finds the owners of faults that are new or occur again, in projects with ownership rules or a CODEOWNERS file.
func (h *routings) readOwners(ctx context.Context) error {
	h.owned = map[int64]owned{}
	projects := h.distinct(func(a alerts.Alert) []int64 {
		if !ownable(a) {
			return nil
		}
		return []int64{a.ProjectID}
	})
	if len(projects) == 0 {
		return nil
	}
	settings := map[int64]owner.Settings{}
	err := h.S.db.ReadRows(ctx, h.q, ownershipOfProjects, func(rows *sql.Rows) error {
		var id int64
		var text string
		err := rows.Scan(&id, &text)
		settings[id] = owner.SettingsOf(text)
		return err
	}, projects)
	if err != nil {
		return db.Wrap("read ownership", err)
	}
	files, err := h.S.repo.OwnersOf(ctx, h.q, projects)
	if err != nil {
		return err
	}
	for _, project := range projects {
		if settings[project].Rules == "" && len(files[project]) == 0 {
			continue
		}
		if err := h.findOwners(ctx, project, settings[project], files[project]); err != nil {
			return err
		}
	}
	return nil
}

// ownable reports whether ownership rules apply to an alert.
func ownable(a alerts.Alert) bool {
	return a.Event == alerts.AlertOccurred && a.FaultID > 0 && a.Facts.NoticeID != 0 && !a.Facts.Test
}

// findOwners finds the owners of the faults of one project.
func (h *routings) findOwners(ctx context.Context, project int64, s owner.Settings, files []repo.Repository) error {
	var notices []int64
	for _, a := range h.Alerts {
		if a.ProjectID == project && ownable(a) {
			notices = append(notices, int64(a.Facts.NoticeID))
		}
	}
	bodies, err := h.S.fault.NoticeBodies(ctx, h.q, project, notices)
	if err != nil {
		return err
	}
	directory, err := h.S.account.Owners(ctx, h.q, project)
	if err != nil {
		return err
	}
	rules := s.With(files)
	for _, a := range h.Alerts {
		body, ok := bodies[int64(a.Facts.NoticeID)]
		if a.ProjectID == project && ownable(a) && ok {
			h.owned[a.ID] = ownedBy(rules, directory, s, body)
		}
	}
	return nil
}

func ownedBy(rules owner.Ruling, directory owner.Directory, s owner.Settings, body payload.Body) (o owned) {
	notice, err := payload.Read(body, "")
	if err != nil {
		return o // without owners, everyone receives it
	}
	verdict, ok := rules.Find(notice)
	if !ok {
		return o
	}
	owners := directory.Resolve(verdict.Owners)
	o.assignee, o.from = owners.Assignee, verdict.From
	if s.OnlyOwners {
		o.only = owners.Users
	}
	return o
}

// assignOwners assigns the new faults of locked alerts to their owners.
func (t Tx) assignOwners(ctx context.Context, h *routings, held []int64) error {
	for _, id := range held {
		o, ok := h.owned[id]
		if !ok || o.assignee == nil {
			continue
		}
		for _, a := range h.Alerts {
			if a.ID != id || a.Facts.Reopened {
				continue
			}
			if err := t.fault().AssignOwner(ctx, h.Now, a.ProjectID, a.FaultID, *o.assignee, o.from); err != nil {
				return err
			}
		}
	}
	return nil
}
