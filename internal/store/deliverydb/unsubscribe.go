package deliverydb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

const unsubscribeKey = `-- deliverydb.unsubscribeKey
SELECT key FROM unsubscribe_links WHERE user_id = $1 AND project_id = $2`

// UnsubscribeToken returns the secret of the link that ends the mails to a user about a project. It is the same every time.
func (s *Store) UnsubscribeToken(ctx context.Context, userID, projectID int64) (token string, err error) {
	var key []byte
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(unsubscribeKey), userID, projectID).Scan(&key)
	if !errors.Is(err, sql.ErrNoRows) {
		if err == nil {
			key, err = s.revealLinkKey(key, userID, projectID)
		}
		return alerts.UnsubscribeToken(userID, projectID, key), db.Wrap("find link", err)
	}
	err = s.inTx(ctx, "make link", func(t Tx) error {
		t.KeepsCaches = true
		token, err = t.unsubscribeToken(ctx, userID, projectID)
		return err
	})
	return token, err
}

const makeUnsubscribeKey = `-- deliverydb.makeUnsubscribeKey
INSERT INTO unsubscribe_links (user_id, project_id, key) VALUES ($1, $2, $3)
ON CONFLICT (user_id, project_id) DO UPDATE SET key = unsubscribe_links.key RETURNING key`

func (t Tx) unsubscribeToken(ctx context.Context, userID, projectID int64) (string, error) {
	key, err := t.linkKey(ctx, userID, projectID)
	return alerts.UnsubscribeToken(userID, projectID, key), err
}

// linkKey returns the key of the links in the mails to a user about a project, and makes it if there is none.
func (t Tx) linkKey(ctx context.Context, userID, projectID int64) (key []byte, err error) {
	sealed, err := t.Seal(ctx, sealedLinkKey, string(alerts.NewUnsubscribeKey(db.RandomOf(ctx))), userID, projectID)
	if err != nil {
		return nil, err
	}
	row := t.QueryRowContext(ctx, t.s.db.Text(makeUnsubscribeKey), userID, projectID, []byte(sealed))
	if err := row.Scan(&key); err != nil {
		return nil, err
	}
	return t.s.revealLinkKey(key, userID, projectID)
}

func (s *Store) revealLinkKey(key []byte, userID, projectID int64) ([]byte, error) {
	plain, err := s.db.Reveal(sealedLinkKey, string(key), userID, projectID)
	return []byte(plain), err
}

const unsubscribing = `-- deliverydb.Unsubscribing
SELECT l.key, u.id, u.email, u.name, p.id, p.name, p.account_id, pa.events, pa.mentions, pa.follows, pa.digest
FROM unsubscribe_links l JOIN users u ON u.id = l.user_id JOIN projects p ON p.id = l.project_id
LEFT JOIN personal_alerts pa ON pa.user_id = l.user_id AND pa.project_id = l.project_id WHERE l.user_id = $1 AND l.project_id = $2`

// Unsubscribing returns whose mails, about which project, a link ends, or a NotFound error if there is no such link.
func (s *Store) Unsubscribing(ctx context.Context, token string) (alerts.Unsubscribing, error) {
	found, _, err := s.unsubscribing(ctx, s.db.Read, token)
	return found, err
}

func (s *Store) unsubscribing(ctx context.Context, q db.Querier, token string) (u alerts.Unsubscribing, accountID string, err error) {
	user, project, ok := alerts.SubjectOfUnsubscribe(token)
	if !ok {
		return u, "", errNoUnsubscribe()
	}
	var key []byte
	var row personalAlertsRow
	err = q.QueryRowContext(ctx, s.db.Text(unsubscribing), user, project).Scan(append([]any{
		&key, &u.User.ID, &u.User.Email, &u.User.Name, &u.ProjectID, &u.Project, &accountID,
	}, row.into()...)...)
	if err == nil {
		key, err = s.revealLinkKey(key, user, project)
	}
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && !alerts.CheckUnsubscribeToken(token, user, project, key):
		return alerts.Unsubscribing{}, "", errNoUnsubscribe()
	case err != nil:
		return u, "", db.Wrap("find link", err)
	}
	u.Alerts, err = row.alerts()
	return u, accountID, err
}

func errNoUnsubscribe() error {
	return sett.Errorf(sett.NotFound, "This link does not work. Copy the whole link from the mail, or sign in and choose your notifications on the page /me/alerts.")
}

// Unsubscribe ends the mails of a link, and returns the settings before. If they have ended already, it changes nothing. The error is
// NotFound if there is no such link.
func (s *Store) Unsubscribe(ctx context.Context, now time.Time, token string) (u alerts.Unsubscribing, err error) {
	err = s.inTx(ctx, "unsubscribe", func(t Tx) error {
		t.KeepsCaches = true
		var account string
		if u, account, err = s.unsubscribing(ctx, t, token); err != nil || u.Alerts.Silent() {
			return err
		}
		none := alerts.Unsubscribed()
		if err := t.writePersonalAlerts(ctx, now, u.User.ID, u.ProjectID, none); err != nil {
			return err
		}
		return t.account().AuditOwnIn(ctx, account, u.User.ID, auditedAlerts(u.Project, none))
	})
	return u, err
}
