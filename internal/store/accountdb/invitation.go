package accountdb

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const selectInvitations = `
SELECT i.id, i.account_id, coalesce(i.team_id, 0), i.token, i.email, i.role, i.admin, i.message, i.accepted_at, i.created_at,
    coalesce(c.id, 0), coalesce(c.email, ''), coalesce(c.name, ''), coalesce(a.id, 0), coalesce(a.email, ''), coalesce(a.name, ''),
    coalesce((SELECT string_agg(CAST(it.team_id AS text), ',' ORDER BY it.team_id) FROM invitation_teams it WHERE it.invitation_id = i.id), ''),
    CASE WHEN i.team_id IS NULL AND i.role IN ('Owner', 'Admin') THEN (SELECT count(*) FROM projects p WHERE p.account_id = i.account_id)
        ELSE (SELECT count(DISTINCT tp.project_id) FROM team_projects tp WHERE tp.team_id = i.team_id
            OR tp.team_id IN (SELECT it.team_id FROM invitation_teams it WHERE it.invitation_id = i.id)) END
FROM invitations i LEFT JOIN users c ON c.id = i.created_by LEFT JOIN users a ON a.id = i.accepted_by
`

// scanInvitation reads a row of selectInvitations.
func (s *Store) scanInvitation(row db.Row) (i accounts.Invitation, err error) {
	var accepted, created int64
	var by, acceptedBy sett.Person
	var teams string
	err = row.Scan(&i.ID, &i.AccountID, &i.TeamID, &i.Token, &i.Email, &i.Role, &i.Admin, &i.Message, &accepted, &created,
		&by.ID, &by.Email, &by.Name, &acceptedBy.ID, &acceptedBy.Email, &acceptedBy.Name, &teams, &i.Projects)
	if err != nil {
		return i, err
	}
	i.AcceptedAt, i.CreatedAt = db.FromMicros(accepted), db.FromMicros(created)
	i.CreatedBy, i.AcceptedBy = personOrNone(by), personOrNone(acceptedBy)
	if i.Token, err = s.db.Reveal(sealedInvitation, i.Token, i.ID); err != nil {
		return i, err
	}
	i.TeamIDs, err = parseIDs(teams)
	return i, err
}

func personOrNone(p sett.Person) *sett.Person {
	if p.ID == 0 {
		return nil
	}
	return &p
}

// parseIDs parses comma-separated ids.
func parseIDs(text string) (ids []int64, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read ids: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Inviting is the target of invitations: an account or, if there is a TeamID, that team, without the need for an AccountID.
type Inviting struct {
	AccountID string
	TeamID    int64
}

// thing is the target's kind, as errors name it.
func (o Inviting) thing() string {
	if o.TeamID != 0 {
		return "Team"
	}
	return "Account"
}

// ofInviting selects the invitations of an Inviting, which is $1 and $2.
const ofInviting = `WHERE i.account_id = coalesce((SELECT account_id FROM teams WHERE id = $2), $1) AND i.team_id IS NOT DISTINCT FROM $2`

// args are the parameters of a statement with ofInviting, followed by more.
func (o Inviting) args(more ...any) []any {
	return append([]any{o.AccountID, sql.NullInt64{Int64: o.TeamID, Valid: o.TeamID != 0}}, more...)
}

const (
	listInvitations = `-- accountdb.ListInvitations` + selectInvitations + ofInviting + ` AND i.id > $3 ORDER BY i.id LIMIT $4 OFFSET $5`

	listInvitationsBack = `-- accountdb.ListInvitations, back` + selectInvitations + ofInviting + ` AND i.id <= $3 ORDER BY i.id DESC LIMIT $4 OFFSET $5`
)

// ListInvitations returns a page of the invitations to an account or a team, in order of creation, as a user with that role in the
// account may see them, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListInvitations(ctx context.Context, to Inviting, seenBy accounts.Role, p sett.Page) (found []accounts.Invitation, marks sett.Marks, err error) {
	var at int64
	statement := listInvitations
	if p.Back {
		statement = listInvitationsBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	if found, err = s.invitations(ctx, s.db.Read, statement, to.args(at, most, skip)...); err != nil {
		return nil, sett.Marks{}, err
	}
	for n, i := range found {
		found[n] = i.SeenBy(seenBy)
	}
	found, marks = sett.Cut(p, found, func(i accounts.Invitation) string { return db.FormatMark(i.ID) })
	return found, marks, nil
}

// invitations runs a statement that starts with selectInvitations.
func (s *Store) invitations(ctx context.Context, q db.Querier, statement string, args ...any) (found []accounts.Invitation, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		i, err := s.scanInvitation(rows)
		found = append(found, i)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list invitations: %w", err)
	}
	return found, nil
}

const invitationByID = `-- accountdb.InvitationByID` + selectInvitations + ofInviting + ` AND i.id = $3`

// InvitationByID returns an invitation to an account or a team, as a user with that role in the account may see it, or a
// NotFound error.
func (s *Store) InvitationByID(ctx context.Context, to Inviting, seenBy accounts.Role, id int64) (accounts.Invitation, error) {
	i, err := s.invitation(ctx, s.db.Read, to, id)
	return i.SeenBy(seenBy), err
}

func (s *Store) invitation(ctx context.Context, q db.Querier, to Inviting, id int64) (accounts.Invitation, error) {
	i, err := s.scanInvitation(q.QueryRowContext(ctx, s.db.Text(invitationByID), to.args(id)...))
	return i, db.NotFound(err, "Invitation", "find invitation")
}
