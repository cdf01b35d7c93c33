package statusdb

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const listTemplates = `-- statusdb.listTemplates
SELECT t.id, t.name, t.title, t.status, t.message, t.impact, t.states FROM status_templates t JOIN status_pages p ON p.number = t.page
WHERE p.account_id = $1 AND p.id = $2 ORDER BY lower(t.name), t.id`

// ListTemplates returns the templates of a status page by name.
func (s *Store) ListTemplates(ctx context.Context, accountID, page string) ([]status.IncidentTemplate, error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listTemplates), accountID, page)
	found, err := db.Collect(rows, err, func(row db.Row) (t status.IncidentTemplate, err error) {
		var states string
		if err := row.Scan(&t.ID, &t.Name, &t.Title, &t.Status, &t.Message, &t.Impact, &states); err != nil {
			return t, err
		}
		return t, db.Wrap("read components of template", json.Unmarshal([]byte(states), &t.States))
	})
	return found, s.db.Explain(db.Wrap("list templates", err))
}

const countTemplates = `-- statusdb.countTemplates
SELECT count(*) FROM status_templates WHERE page = $1`

const insertTemplate = `-- statusdb.insertTemplate
INSERT INTO status_templates (page, name, title, status, message, impact, states) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`

const updateTemplate = `-- statusdb.updateTemplate
UPDATE status_templates SET name = $3, title = $4, status = $5, message = $6, impact = $7, states = $8 WHERE page = $1 AND id = $2 RETURNING id`

// WriteTemplate changes the template of a status page with an id, or makes one for the id 0, and returns its id. The error is NotFound if the page has no such
// template, and Invalid if a field is rejected or the page has too many.
func (s *Store) WriteTemplate(ctx context.Context, now time.Time, accountID, page string, id int64, name string, change status.IncidentChange) (written int64, err error) {
	err = s.ChangeStatusPage(ctx, "write template", now, accountID, page, func(t Tx, p status.StatusPage) error {
		made, err := change.Read(name, p)
		if err != nil {
			return err
		}
		states, err := json.Marshal(made.States)
		if err != nil {
			return fmt.Errorf("write components of template: %w", err)
		}
		values := []any{made.Name, made.Title, string(made.Status), made.Message, string(made.Impact), string(states)}
		if id != 0 {
			err := t.QueryRowContext(ctx, s.db.Text(updateTemplate), append([]any{p.Number, id}, values...)...).Scan(&written)
			return db.NotFound(err, "Template", "change template")
		}
		var have int
		if err := t.QueryRowContext(ctx, s.db.Text(countTemplates), p.Number).Scan(&have); err != nil {
			return fmt.Errorf("count templates: %w", err)
		}
		if err := status.CheckTemplates(have); err != nil {
			return err
		}
		return db.Wrap("make template", t.QueryRowContext(ctx, s.db.Text(insertTemplate), append([]any{p.Number}, values...)...).Scan(&written))
	})
	return written, err
}

const deleteTemplate = `-- statusdb.deleteTemplate
DELETE FROM status_templates WHERE page = $1 AND id = $2 RETURNING id`

// DeleteTemplate deletes a template of a status page. The error is NotFound if the page has no such template.
func (s *Store) DeleteTemplate(ctx context.Context, now time.Time, accountID, page string, id int64) error {
	return s.ChangeStatusPage(ctx, "delete template", now, accountID, page, func(t Tx, p status.StatusPage) error {
		err := t.QueryRowContext(ctx, s.db.Text(deleteTemplate), p.Number, id).Scan(new(int64))
		return db.NotFound(err, "Template", "delete template")
	})
}

// TemplateByID returns a template of a status page, or a NotFound error.
func (s *Store) TemplateByID(ctx context.Context, accountID, page string, id int64) (status.IncidentTemplate, error) {
	all, err := s.ListTemplates(ctx, accountID, page)
	for _, t := range all {
		if t.ID == id {
			return t, err
		}
	}
	if err == nil {
		err = sett.Errorf(sett.NotFound, "Template not found")
	}
	return status.IncidentTemplate{}, err
}
