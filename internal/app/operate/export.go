package operate

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sett/internal/app/archive"
	"sett/internal/app/backup"
	"sett/internal/base/about"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/store"
	"sett/internal/store/archivedb"
	"sett/internal/store/db"
)

// Export says what is exported, and where to.
type Export struct {
	File    string
	Project int64  // 0: the account
	Account string // id; "" if there is one
	Secrets bool
	Replace bool // a file of that name is replaced
}

// MadeExport is an export that was made.
type MadeExport struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	archive.Header
}

// WriteExport writes a project or an account into a file. A server may run on the database, and goes on. Nothing has the
// name of the file before it is whole.
func WriteExport(ctx context.Context, in Installation, o Export) (MadeExport, error) {
	return administer(ctx, in, func(a *administration) (made MadeExport, err error) {
		if _, err := os.Lstat(o.File); err == nil && !o.Replace {
			return made, sett.Errorf(sett.Conflict, "%s already exists; choose another name, or use --replace", o.File)
		}
		scope, err := a.scopeOf(ctx, o)
		if err != nil {
			return made, err
		}
		if _, err := in.UseObjects(a.Store); err != nil {
			return made, err
		}
		c, remove, err := copied(ctx, a.Store, "export", filepath.Dir(o.File), a.now)
		if err != nil {
			return made, stoppedOr(ctx, notWritten("export", o.File, err))
		}
		defer func() { err = errors.Join(err, remove()) }()
		made.File = o.File
		header := archive.Header{ID: rand.Text(), Sett: about.Current().Version, MadeAt: c.At, Account: scope.AccountID, Whole: scope.ProjectID == 0, Secrets: o.Secrets}
		made.Bytes, err = backup.Save(o.File, filepath.Dir(c.file), func(w io.Writer) error {
			made.Header, err = writeCopy(ctx, w, a.Store, filepath.Dir(c.file), scope, header)
			return err
		})
		if err != nil {
			err = notWritten("export", o.File, err)
		}
		return made, stoppedOr(ctx, err)
	})
}

// writeCopy writes the copy of a database in a directory, once everything in it is counted.
func writeCopy(ctx context.Context, w io.Writer, of *store.Store, dir string, scope archivedb.Scope, h archive.Header) (made archive.Header, err error) {
	s, err := store.Open(ctx, db.Options{Dir: dir, Found: true, MadeUp: true})
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Intake.Recover(ctx); err != nil {
		return h, err
	}
	return archive.Write(ctx, w, archive.Source{Copy: s.Archive, Keys: of.DB, Scope: scope}, h)
}

// scopeOf finds what is exported.
func (a *administration) scopeOf(ctx context.Context, o Export) (scope archivedb.Scope, err error) {
	if o.Project != 0 {
		p, err := a.Accounts.ProjectWithoutCounts(ctx, o.Project)
		if sett.CodeOf(err) == sett.NotFound {
			a.problems.Add("--project", "%d is not the number of a project: the address of its pages has it", o.Project)
			return scope, a.problems.Err()
		}
		return archivedb.Scope{AccountID: p.AccountID, ProjectID: p.ID}, err
	}
	owner, err := a.ownerOf(ctx, o.Account)
	if err == nil {
		err = a.problems.Err()
	}
	return archivedb.Scope{AccountID: owner.AccountID}, err
}

// ImportExport stores an export of sett, beside a live server or without one. account is the id of the account that gets
// the projects; "" makes the account of the export.
func ImportExport(ctx context.Context, in Installation, file, account string) (*move.Report, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, err := archive.Open(f, stat.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s, err := store.Open(ctx, in.Options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, _, err := s.Migrate(ctx); err != nil {
		return nil, err
	}
	if _, err := s.Unlock(ctx); err != nil {
		return nil, err
	}
	a := &administration{Store: s, now: time.Now()}
	if account, err = a.targetOf(ctx, r, account); err != nil {
		return nil, err
	}
	owner := cmp.Or(account, r.Account)
	return archive.Import(ctx, r, archive.Target{
		Archive: s.Archive, Moves: s.Moves, AccountID: account, Now: a.now,
		Audited: func(ctx context.Context, project string) context.Context {
			return a.audited(ctx, accounts.OperatorAction{Command: "sett import sett", Name: "createProject", AccountID: owner, Account: project})
		},
	})
}

// targetOf returns the account that gets the projects of an export; "" for that of the export itself.
func (a *administration) targetOf(ctx context.Context, r *archive.Reader, account string) (string, error) {
	all, err := a.Accounts.AllAccounts(ctx)
	if err != nil {
		return "", err
	}
	if account == "" && r.Whole {
		for _, known := range all {
			if known.ID != r.Account {
				continue
			}
			switch begun, err := a.Archive.Begun(ctx, r.ID); {
			case err != nil:
				return "", err
			case !begun:
				return "", sett.Errorf(sett.Conflict, "this server has the account of the export already; choose the account that gets its projects with --account")
			}
		}
		return "", nil
	}
	owner, err := a.ownerOf(ctx, account)
	if err == nil {
		err = a.problems.Err()
	}
	return owner.AccountID, err
}
