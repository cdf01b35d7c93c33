package deliverydb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// Acknowledging is what a link in a message acknowledges.
type Acknowledging struct {
	Alert   alerts.Alert
	Project string          // its name
	User    sett.Person     // whom the link names; for a link without a secret, none
	Problem *alerts.Problem // that the alert was about; nil: it ended
}

const acknowledgingAlert = `-- deliverydb.acknowledgingAlert
SELECT ` + alertColumns + `, p.name FROM alerts a JOIN projects p ON p.id = a.project_id WHERE a.id = $1`

// Acknowledging returns what a link of an alert acknowledges. The caller checks who may do so, as the link has no secret.
func (s *Store) Acknowledging(ctx context.Context, alertID int64) (a Acknowledging, err error) {
	err = s.db.Snapshot(ctx, "read link", func(q db.Querier) error {
		a, err = s.acknowledging(ctx, q, alertID)
		return err
	})
	return a, err
}

func (s *Store) acknowledging(ctx context.Context, q db.Querier, alertID int64) (a Acknowledging, err error) {
	a.Alert, err = scanAlert(q.QueryRowContext(ctx, s.db.Text(acknowledgingAlert), alertID), &a.Project)
	if _, ok := errors.AsType[db.Unreadable](err); err != nil && !ok {
		if errors.Is(err, sql.ErrNoRows) {
			return a, errNoAcknowledge()
		}
		return a, err
	}
	p, err := s.ReadProblem(ctx, q, a.Alert.ProjectID, a.Alert.Subject)
	if p != nil && !p.Began.After(a.Alert.CreatedAt) { // not a later one of the same thing
		a.Problem = p
	}
	return a, err
}

func errNoAcknowledge() error {
	return sett.Errorf(sett.NotFound, "This link does not work, or is too old. Copy the whole link from the message, or sign in and acknowledge on the page of what is wrong.")
}

const acknowledgingUser = `-- deliverydb.acknowledgingUser
SELECT l.key, u.id, u.email, u.name FROM unsubscribe_links l JOIN users u ON u.id = l.user_id JOIN projects p ON p.id = l.project_id
JOIN memberships m ON m.account_id = p.account_id AND m.user_id = u.id WHERE l.user_id = $1 AND l.project_id = $2 AND ` + accountdb.SeenBy

// AcknowledgingBy returns what the link in a mail to a user acknowledges. The error is NotFound if the secret is wrong, or the user cannot
// see the project any more.
func (s *Store) AcknowledgingBy(ctx context.Context, alertID int64, token string) (a Acknowledging, err error) {
	err = s.db.Snapshot(ctx, "read link", func(q db.Querier) error {
		a, err = s.acknowledgingBy(ctx, q, alertID, token)
		return err
	})
	return a, err
}

func (s *Store) acknowledgingBy(ctx context.Context, q db.Querier, alertID int64, token string) (a Acknowledging, err error) {
	userID, ok := alerts.UserOfAcknowledge(token)
	if !ok {
		return a, errNoAcknowledge()
	}
	if a, err = s.acknowledging(ctx, q, alertID); err != nil {
		return a, err
	}
	var key []byte
	project := a.Alert.ProjectID
	err = q.QueryRowContext(ctx, s.db.Text(acknowledgingUser), userID, project).Scan(&key, &a.User.ID, &a.User.Email, &a.User.Name)
	if err == nil {
		key, err = s.revealLinkKey(key, userID, project)
	}
	if errors.Is(err, sql.ErrNoRows) || err == nil && !alerts.CheckAcknowledgeToken(token, userID, project, alertID, key) {
		return Acknowledging{}, errNoAcknowledge()
	}
	return a, err
}

const accountOfProject = `-- deliverydb.accountOfProject
SELECT account_id FROM projects WHERE id = $1`

// AcknowledgeBy acknowledges by the link in a mail. If the problem ended, it changes nothing, and the result has no problem.
func (s *Store) AcknowledgeBy(ctx context.Context, now time.Time, alertID int64, token string) (a Acknowledging, err error) {
	err = s.inTx(ctx, "acknowledge by mail", func(t Tx) error {
		t.KeepsCaches = true
		if a, err = s.acknowledgingBy(ctx, t, alertID, token); err != nil || a.Problem == nil {
			return err
		}
		by, err := t.acknowledge(ctx, now, a.Alert.ProjectID, a.User.ID, *a.Problem, alerts.ByMail)
		if err != nil {
			return err
		}
		a.Problem.Acknowledgement = &by
		var account string
		if err := t.QueryRowContext(ctx, s.db.Text(accountOfProject), a.Alert.ProjectID).Scan(&account); err != nil {
			return err
		}
		return t.account().AuditOwnIn(ctx, account, a.User.ID, auditedAcknowledgement(a))
	})
	return a, err
}

// auditedAcknowledgement is the audit log's record of an acknowledgement by mail.
func auditedAcknowledgement(a Acknowledging) map[string]any {
	return map[string]any{"project": a.Project, "kind": a.Problem.Subject.Kind(), "name": a.Problem.Name}
}
