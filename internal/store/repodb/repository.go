package repodb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

// settings lists the columns that people write, without those that are encrypted.
func settings(r *repo.Repository) db.Columns {
	return db.Columns{
		db.At("host", (*string)(&r.Host)),
		db.At("url", &r.URL),
		db.At("path", &r.Path),
		db.At("comments", &r.Comments),
	}
}

func columns(r *repo.Repository) db.Columns {
	return append(settings(r),
		db.At("id", &r.ID),
		db.At("project_id", &r.ProjectID),
		db.At("default_branch", &r.DefaultBranch),
		db.At("token", &r.Token),
		db.At("secret", &r.Secret),
		db.At("created_at", db.TimeIn(&r.CreatedAt)),
		db.At("heard_at", db.TimeIn(&r.HeardAt)),
		db.At("asked_at", db.TimeIn(&r.AskedAt)),
		db.At("problem", &r.Problem),
		db.At("owners", &r.Owners))
}

var (
	names = columns(&repo.Repository{}).Names()

	listRepositories = "-- repodb.List\nSELECT " + names + " FROM repositories WHERE project_id = $1 ORDER BY id"
	oneRepository    = "-- repodb.ByID\nSELECT " + names + " FROM repositories WHERE id = $1 AND ($2 = 0 OR project_id = $2)"
)

// read returns a function that reads rows of the columns. Secrets are revealed.
func (s *Store) read() func(db.Row) (repo.Repository, error) {
	return func(row db.Row) (r repo.Repository, err error) {
		if err := row.Scan(columns(&r).Into()...); err != nil {
			return r, err
		}
		return r, s.db.RevealAll([]any{r.ID}, map[*db.SealedColumn]*string{sealedToken: &r.Token, sealedSecret: &r.Secret})
	}
}

// List returns the repositories of a project with their secrets, in order of creation.
func (s *Store) List(ctx context.Context, projectID int64) ([]repo.Repository, error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listRepositories), projectID)
	all, err := db.Collect(rows, err, s.read())
	return all, s.db.Explain(db.Wrap("list repositories", err))
}

const readPlaces = `-- repodb.ReadPlaces
SELECT id, host, url FROM repositories WHERE project_id = $1 ORDER BY id`

// ReadPlaces returns where the repositories of a project are, and nothing else of them, in order of creation.
func (s *Store) ReadPlaces(ctx context.Context, q db.Querier, projectID int64) ([]repo.Repository, error) {
	rows, err := q.QueryContext(ctx, s.db.Text(readPlaces), projectID)
	all, err := db.Collect(rows, err, func(row db.Row) (r repo.Repository, err error) {
		r.ProjectID = projectID
		return r, row.Scan(&r.ID, &r.Host, &r.URL)
	})
	return all, db.Wrap("read places of repositories", err)
}

// ByID returns a repository with its secrets, of one project or, for 0, of any. The error is NotFound if there is none.
func (s *Store) ByID(ctx context.Context, projectID, id int64) (repo.Repository, error) {
	r, err := s.read()(s.db.Read.QueryRowContext(ctx, s.db.Text(oneRepository), id, projectID))
	return r, s.db.Explain(db.NotFound(err, "Repository", "find repository"))
}

// secretLength is in characters of 0-9A-Za-z.
const secretLength = 40

const (
	countRepositories = `-- repodb.countRepositories
SELECT count(*) FROM repositories WHERE project_id = $1`

	holdProject = `-- repodb.holdProject
SELECT id FROM projects WHERE id = $1 {{for no key update}}`

	insertRepository = `-- repodb.insertRepository
INSERT INTO repositories (project_id, created_at, default_branch, token, secret, heard_at, asked_at, problem, head_sha, unordered_to, owners, host, url, path, comments)
VALUES ($1, $2, '', '', '', 0, 0, '', '', 0, '', $3, $4, $5, $6) RETURNING id`

	sealRepository = `-- repodb.sealRepository
UPDATE repositories SET token = $2, secret = $3, problem = CASE WHEN $2 = '' THEN '' ELSE problem END WHERE id = $1`
)

var writeRepository = "-- repodb.writeRepository\nUPDATE repositories SET " + settings(&repo.Repository{}).Set(2) + " WHERE id = $1"

// Create creates a repository of a project, with a new secret for its webhooks. The error is NotFound if there is no such project, and
// Invalid if a field is rejected.
func (s *Store) Create(ctx context.Context, now time.Time, projectID int64, change repo.RepositoryChange) (r repo.Repository, err error) {
	if r, err = change.Apply(repo.Repository{ProjectID: projectID, CreatedAt: now.Truncate(time.Microsecond)}); err != nil {
		return r, err
	}
	r.Secret = sett.RandomStringFrom(db.RandomOf(ctx), secretLength)
	err = s.inTx(ctx, "create repository", func(t Tx) error {
		var n int64
		if err := t.QueryRowContext(ctx, s.db.Text(holdProject), projectID).Scan(&n); err != nil {
			return db.NotFound(err, "Project", "hold project")
		}
		if err := t.QueryRowContext(ctx, s.db.Text(countRepositories), projectID).Scan(&n); err != nil {
			return err
		}
		if n >= repo.MostRepositories {
			return sett.Errorf(sett.Invalid, "A project may have %d repositories. Delete one first.", repo.MostRepositories)
		}
		if err := t.checkUnique(ctx, r); err != nil {
			return err
		}
		row := t.QueryRowContext(ctx, s.db.Text(insertRepository), settings(&r).Values(projectID, db.Micros(r.CreatedAt))...)
		if err := row.Scan(&r.ID); err != nil {
			return db.Wrap("insert repository", err)
		}
		return t.seal(ctx, now, r)
	})
	return r, err
}

const repositoryAt = `-- repodb.repositoryAt
SELECT count(*) FROM repositories WHERE project_id = $1 AND url = $2 AND path = $3 AND id <> $4`

// checkUnique refuses a repository that its project has already.
func (t Tx) checkUnique(ctx context.Context, r repo.Repository) error {
	var n int64
	err := t.QueryRowContext(ctx, t.s.db.Text(repositoryAt), r.ProjectID, r.URL, r.Path, r.ID).Scan(&n)
	if err == nil && n > 0 {
		err = sett.Refuse("url", "is a repository that this project has already")
	}
	return err
}

// seal writes the secrets of a repository. With a token, its host is asked soon.
func (t Tx) seal(ctx context.Context, now time.Time, r repo.Repository) error {
	token, err := t.Seal(ctx, sealedToken, r.Token, r.ID)
	if err != nil {
		return err
	}
	secret, err := t.Seal(ctx, sealedSecret, r.Secret, r.ID)
	if err != nil {
		return err
	}
	if _, err = t.Exec(ctx, sealRepository, r.ID, token, secret); err != nil || r.Token == "" {
		return db.Wrap("write secrets of repository", err)
	}
	return t.askNow(ctx, now, r)
}

// Update changes a repository of a project. Its errors are those of Create.
func (s *Store) Update(ctx context.Context, now time.Time, projectID, id int64, change repo.RepositoryChange) (r repo.Repository, err error) {
	err = s.inTx(ctx, "update repository", func(t Tx) error {
		if r, err = s.read()(t.QueryRowContext(ctx, s.db.Text(oneRepository+" {{for update}}"), id, projectID)); err != nil {
			return db.NotFound(err, "Repository", "read repository")
		}
		was := r.URL
		if r, err = change.Apply(r); err != nil {
			return err
		}
		if err := t.checkUnique(ctx, r); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, writeRepository, settings(&r).Values(id)...); err != nil {
			return db.Wrap("write repository", err)
		}
		if r.URL != was { // who owns the code of another repository is not known
			r.Owners = ""
			if _, err := t.Exec(ctx, noteOwners, id, ""); err != nil {
				return err
			}
		}
		return t.seal(ctx, now, r)
	})
	return r, err
}

const deleteRepository = `-- repodb.Delete
DELETE FROM repositories WHERE project_id = $1 AND id = $2`

// Delete deletes a repository of a project, with all that is known of it. The error is NotFound if the project has no such repository.
func (s *Store) Delete(ctx context.Context, projectID, id int64) error {
	return s.inTx(ctx, "delete repository", func(t Tx) error {
		n, err := t.Changed(ctx, deleteRepository, projectID, id)
		if err == nil && n == 0 {
			err = sett.Errorf(sett.NotFound, "Repository not found")
		}
		return err
	})
}

const (
	noteAsked = `-- repodb.NoteAsked
UPDATE repositories SET asked_at = $2, problem = $3 WHERE id = $1`

	noteProblem = `-- repodb.NoteProblem
UPDATE repositories SET problem = $2 WHERE id = $1 AND problem <> $2`
)

// NoteProblem notes what the problem was when a host was asked about a commit; "" for none. It does not count as asked: see NoteAsked.
func (s *Store) NoteProblem(ctx context.Context, id int64, problem string) error {
	return s.inTx(ctx, "note problem of host", func(t Tx) error {
		_, err := t.Exec(ctx, noteProblem, id, problem)
		return err
	})
}

// NoteAsked notes that a host was asked for all that is kept up to date, and what the problem was, if there was one. AskAgain counts from it.
func (s *Store) NoteAsked(ctx context.Context, now time.Time, id int64, problem string) error {
	return s.inTx(ctx, "note answer of host", func(t Tx) error {
		_, err := t.Exec(ctx, noteAsked, id, db.Micros(now), problem)
		return err
	})
}

const (
	noteBranch = `-- repodb.NoteBranch
UPDATE repositories SET default_branch = $2 WHERE id = $1`

	noteOwners = `-- repodb.NoteOwners
UPDATE repositories SET owners = $2 WHERE id = $1`
)

// NoteBranch notes what the host says the default branch is.
func (s *Store) NoteBranch(ctx context.Context, id int64, branch string) error {
	return s.inTx(ctx, "note default branch", func(t Tx) error {
		_, err := t.Exec(ctx, noteBranch, id, branch)
		return err
	})
}

// NoteOwners notes the file CODEOWNERS of a repository; "" if it has none.
func (s *Store) NoteOwners(ctx context.Context, id int64, file string) error {
	return s.inTx(ctx, "note owners of code", func(t Tx) error {
		_, err := t.Exec(ctx, noteOwners, id, file)
		return err
	})
}
