package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/directory"
	"sett/internal/store/db"
)

const personColumns = `p.id, p.user_id, p.user_name, p.external_id, p.given_name, p.family_name, p.display_name, p.email, p.active, p.created_at, p.updated_at`

const directoryPerson = `-- accountdb.DirectoryPerson
SELECT ` + personColumns + ` FROM directory_people p WHERE p.account_id = $1 AND p.id = $2`

// DirectoryPerson returns a person of the directory of an account, or a NotFound error.
func (s *Store) DirectoryPerson(ctx context.Context, accountID, id string) (directory.Person, error) {
	return s.readPerson(ctx, s.db.Read, accountID, id)
}

func (s *Store) readPerson(ctx context.Context, q db.Querier, accountID, id string) (directory.Person, error) {
	p, err := scanDirectoryPerson(q.QueryRowContext(ctx, s.db.Text(directoryPerson), accountID, id))
	return p, db.NotFound(err, "User", "find person of directory")
}

func scanDirectoryPerson(row db.Row) (p directory.Person, err error) {
	var created, updated int64
	err = row.Scan(&p.ID, &p.UserID, &p.UserName, &p.ExternalID, &p.GivenName, &p.FamilyName, &p.DisplayName, &p.Email, &p.Active, &created, &updated)
	p.CreatedAt, p.UpdatedAt = db.FromMicros(created), db.FromMicros(updated)
	return p, err
}

// DirectoryFilter selects people or groups of a directory; an empty text selects all. Count may be 0, to learn how many there are.
type DirectoryFilter struct {
	Name       string // userName or displayName
	ExternalID string
	Sent       bool // only groups that the directory sent by SCIM, without those of sign-ins
	Start      int  // how many to leave out
	Count      int
}

const peopleWhere = ` FROM directory_people p WHERE p.account_id = $1 AND ($2 = '' OR p.name_key = $2) AND ($3 = '' OR p.external_id = $3)`

const (
	countPeople = `-- accountdb.countDirectoryPeople
SELECT count(*)` + peopleWhere
	listPeople = `-- accountdb.ListDirectoryPeople
SELECT ` + personColumns + peopleWhere + ` ORDER BY p.created_at, p.id LIMIT $4 OFFSET $5`
	allPeople = `-- accountdb.allDirectoryPeople
SELECT count(*) FROM directory_people WHERE account_id = $1`
)

// ListDirectoryPeople returns people of the directory of an account, in the order of their creation, and how many the filter selects.
func (s *Store) ListDirectoryPeople(ctx context.Context, accountID string, f DirectoryFilter) (people []directory.Person, total int, err error) {
	key := directory.NameKey(f.Name)
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(countPeople), accountID, key, f.ExternalID).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count people of directory: %w", err)
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listPeople), accountID, key, f.ExternalID, f.Count, f.Start)
	people, err = db.Collect(rows, err, scanDirectoryPerson)
	return people, total, db.Wrap("list people of directory", err)
}

const insertPerson = `-- accountdb.CreateDirectoryPerson
INSERT INTO directory_people (id, account_id, user_id, user_name, name_key, external_id, given_name, family_name, display_name, email, active, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`

// CreateDirectoryPerson creates a person of the directory of an account, and the user whom they are; see personUser. The error is Conflict
// if the directory has the name already, or the address belongs to a user of other accounts.
func (s *Store) CreateDirectoryPerson(ctx context.Context, now time.Time, accountID string, p directory.Person) (directory.Person, error) {
	err := s.inTx(ctx, "create person of directory", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		if err := t.checkRoom(ctx, accountID, allPeople, directory.MostPeople, "people"); err != nil {
			return err
		}
		var err error
		if p.UserID, err = t.personUser(ctx, now, accountID, p); err != nil {
			return err
		}
		p.ID, p.CreatedAt, p.UpdatedAt = sett.NewUUID(db.RandomOf(ctx)).String(), now, now
		_, err = t.Exec(ctx, insertPerson, p.ID, accountID, p.UserID, p.UserName, directory.NameKey(p.UserName), p.ExternalID, p.GivenName, p.FamilyName,
			p.DisplayName, p.Email, p.Active, db.Micros(now))
		if err != nil {
			return t.taken(err, "userName", p.UserName)
		}
		if err := t.auditDirectory(ctx, accountID, p, map[string]any{"active": p.Active}); err != nil || !p.Active {
			return err
		}
		return t.place(ctx, now, accountID, p.ID)
	})
	return p, err
}

// taken explains a conflict of a unique name.
func (t Tx) taken(err error, attribute, name string) error {
	if t.s.db.Conflict(err) {
		return sett.Errorf(sett.Conflict, "%s %q exists already. Find it with a filter, and change it.", attribute, name)
	}
	return err
}

// checkRoom returns a Forbidden error if the directory of an account is full.
func (t Tx) checkRoom(ctx context.Context, accountID, count string, most int, what string) error {
	var has int
	if err := t.QueryRowContext(ctx, t.s.db.Text(count), accountID).Scan(&has); err != nil {
		return fmt.Errorf("count %s of directory: %w", what, err)
	}
	if has >= most {
		return sett.Errorf(sett.Forbidden, "A directory has at most %d %s. Assign fewer to sett.", most, what)
	}
	return nil
}

const (
	userToLink = `-- accountdb.userToLink
SELECT u.id, u.proven, EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.account_id = $2),
    EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.account_id <> $2)
FROM users u WHERE u.email = $1 {{for update}}`
	insertLoneUser = `-- accountdb.insertLoneUser
INSERT INTO users (email, name, password, proven, created_at) VALUES ($1, $2, '', true, $3) RETURNING id`
)

// personUser returns the user with the address of a person, who has to be in a verified domain of the account. A user of the account is
// taken as they are, and one of no account as well; who had not verified the address loses what they had. A user of other accounts alone is a
// Conflict: an address is no reason to reach into these. Without a user one is created, in no account yet.
func (t Tx) personUser(ctx context.Context, now time.Time, accountID string, p directory.Person) (userID int64, err error) {
	address, err := p.Address()
	if err != nil {
		return 0, err
	}
	if err := t.checkDomain(ctx, accountID, address); err != nil {
		return 0, err
	}
	var proven, here, elsewhere bool
	err = t.QueryRowContext(ctx, t.s.db.Text(userToLink), address, accountID).Scan(&userID, &proven, &here, &elsewhere)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = t.QueryRowContext(ctx, t.s.db.Text(insertLoneUser), address, p.Name(), db.Micros(now)).Scan(&userID)
		return userID, db.Wrap("create user of directory", err)
	case err != nil:
		return 0, fmt.Errorf("find user: %w", err)
	case elsewhere && !here:
		return 0, sett.Errorf(sett.Conflict, "A user with the address %s belongs to another account. Invite them: when they have accepted, the directory can manage them.", address)
	case !proven:
		err = t.proveByProxy(ctx, userID)
	}
	return userID, err
}

const updatePerson = `-- accountdb.ChangeDirectoryPerson
UPDATE directory_people SET user_name = $3, name_key = $4, external_id = $5, given_name = $6, family_name = $7, display_name = $8, email = $9,
    active = $10, updated_at = $11 WHERE account_id = $1 AND id = $2`

// ChangeDirectoryPerson applies a change to a person of the directory of an account. Who becomes inactive leaves the account at once, with
// their sessions and tokens; who becomes active is in it again. Name and address of the user follow, if they are in no other account.
func (s *Store) ChangeDirectoryPerson(ctx context.Context, now time.Time, accountID, id string, change func(*directory.Person) error) (p directory.Person, err error) {
	err = s.changePerson(ctx, accountID, id, func(t Tx, is directory.Person) error {
		p = is
		if err := change(&p); err != nil || p == is {
			return err
		}
		p.UpdatedAt = now
		if err := t.follows(ctx, accountID, is, p); err != nil {
			return err
		}
		_, err := t.Exec(ctx, updatePerson, accountID, id, p.UserName, directory.NameKey(p.UserName), p.ExternalID, p.GivenName, p.FamilyName, p.DisplayName,
			p.Email, p.Active, db.Micros(now))
		if err != nil {
			return t.taken(err, "userName", p.UserName)
		}
		if err := t.auditDirectory(ctx, accountID, p, changed(is, p)); err != nil {
			return err
		}
		switch {
		case is.Active && !p.Active:
			return t.dismiss(ctx, accountID, p.UserID)
		case !is.Active && p.Active:
			return t.place(ctx, now, accountID, id)
		}
		return nil
	})
	return p, err
}

// changed lists what of a person changed, for the audit log.
func changed(is, becomes directory.Person) map[string]any {
	fields := map[string]any{}
	for name, values := range map[string][2]any{
		"active": {is.Active, becomes.Active}, "userName": {is.UserName, becomes.UserName}, "name": {is.Name(), becomes.Name()},
		"email": {is.Email, becomes.Email}, "externalId": {is.ExternalID, becomes.ExternalID},
	} {
		if values[0] != values[1] {
			fields[name] = values[1]
		}
	}
	return fields
}

// changePerson calls change with a person of a directory while the account is locked. A person who left is unassigned from errors afterwards.
func (s *Store) changePerson(ctx context.Context, accountID, id string, change func(Tx, directory.Person) error) error {
	return s.endingWork(ctx, "change person of directory", func(t Tx) error {
		if err := t.lockAccount(ctx, accountID); err != nil {
			return err
		}
		p, err := s.readPerson(ctx, t, accountID, id)
		if err != nil {
			return err
		}
		return change(t, p)
	})
}

const (
	soleAccount = `-- accountdb.soleAccount
SELECT NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = $1 AND account_id <> $2)`
	renameFollower = `-- accountdb.renameFollower
UPDATE users SET name = $2, email = $3 WHERE id = $1`
)

// follows gives the user the name and the address that a directory has changed. A user who is in other accounts as well keeps both.
func (t Tx) follows(ctx context.Context, accountID string, is, becomes directory.Person) error {
	if err := becomes.Check(); err != nil {
		return err
	}
	from, _ := is.Address()
	to, err := becomes.Address()
	if err != nil || from == to && is.Name() == becomes.Name() {
		return err
	}
	var sole bool
	if err := t.QueryRowContext(ctx, t.s.db.Text(soleAccount), is.UserID, accountID).Scan(&sole); err != nil || !sole {
		return db.Wrap("find accounts of user", err)
	}
	user, err := t.Person(ctx, is.UserID)
	if err != nil {
		return err
	}
	if from != to {
		if err := t.checkDomain(ctx, accountID, to); err != nil {
			return err
		}
		user.Email = to
	}
	if is.Name() != becomes.Name() {
		user.Name = becomes.Name()
	}
	if _, err := t.Exec(ctx, renameFollower, user.ID, user.Name, user.Email); err != nil {
		return t.taken(err, "The address", to)
	}
	return nil
}

const deletePerson = `-- accountdb.DeleteDirectoryPerson
DELETE FROM directory_people WHERE account_id = $1 AND id = $2`

// DeleteDirectoryPerson removes a person from the directory of an account, and their user from the account. What the user wrote stays.
func (s *Store) DeleteDirectoryPerson(ctx context.Context, accountID, id string) error {
	return s.changePerson(ctx, accountID, id, func(t Tx, p directory.Person) error {
		if err := t.auditDirectory(ctx, accountID, p, map[string]any{"active": false}); err != nil {
			return err
		}
		if p.Active {
			if err := t.dismiss(ctx, accountID, p.UserID); err != nil {
				return err
			}
		}
		_, err := t.Exec(ctx, deletePerson, accountID, id)
		return err
	})
}

// RefuseDirectory records in the audit log what a directory asked for and was refused, because a person of the account has to know it.
func (s *Store) RefuseDirectory(ctx context.Context, accountID, id, why string) error {
	return s.inTx(ctx, "record refusal of directory", func(t Tx) error {
		p, err := s.readPerson(ctx, t, accountID, id)
		if err != nil {
			return err
		}
		return t.auditDirectory(ctx, accountID, p, map[string]any{"refused": why})
	})
}
