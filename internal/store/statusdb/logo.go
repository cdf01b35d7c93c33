package statusdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// logoText is what the row of a page holds of its logo.
func logoText(logo status.StatusLogo) string {
	if logo.Name == "" {
		return ""
	}
	return db.JSONText(logo)
}

const putLogo = `-- statusdb.putLogo
INSERT INTO status_logos (page, body) VALUES ($1, $2) ON CONFLICT (page) DO UPDATE SET body = excluded.body`

const dropLogo = `-- statusdb.dropLogo
DELETE FROM status_logos WHERE page = $1`

// writeLogo stores the picture of a page if it is a new one, and deletes it if the page has none any more.
func (t Tx) writeLogo(ctx context.Context, page status.StatusPage, had status.StatusLogo) error {
	switch {
	case len(page.Logo.Body) > 0:
		_, err := t.Exec(ctx, putLogo, page.Number, page.Logo.Body)
		return db.Wrap("store logo", err)
	case page.Logo.Name == "" && had.Name != "":
		_, err := t.Exec(ctx, dropLogo, page.Number)
		return db.Wrap("delete logo", err)
	}
	return nil
}

const logoOfPage = `-- statusdb.StatusLogo
SELECT l.body FROM status_pages p JOIN status_logos l ON l.page = p.number WHERE p.id = $1`

// StatusLogo returns the picture of a status page, or nil if it has none.
func (s *Store) StatusLogo(ctx context.Context, id string) (body []byte, err error) {
	err = s.db.Snapshot(ctx, "read logo", func(q db.Querier) error {
		err := q.QueryRowContext(ctx, s.db.Text(logoOfPage), id).Scan(&body)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return db.Wrap("read logo", err)
	})
	if err != nil {
		return nil, fmt.Errorf("read logo of status page: %w", err)
	}
	return body, nil
}
