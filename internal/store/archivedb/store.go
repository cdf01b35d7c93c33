// Package archivedb reads what a project or an account has as records, and stores such records again. It takes which
// project or account, and for an import the records of each noun in the order of Nouns; it returns lines of JSON, and
// how many rows came. Ids keep their order and, on a server without others, their values. No transaction has more than
// 1,000 rows, and one that was stored is not stored again, so an import may be cut off. It decides nothing of files.
package archivedb

import (
	"context"
	"strconv"
	"strings"

	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	block *block.Store
	fault *faultdb.Store
}

// New returns the store of an open database.
func New(d *db.DB, block *block.Store, fault *faultdb.Store) *Store {
	return &Store{d, block, fault}
}

// Scope is what is exported.
type Scope struct {
	AccountID string
	ProjectID int64 // 0: all of the account, and the account
}

// where fills in a condition.
func (s Scope) where(condition string) string {
	account := "'" + strings.ReplaceAll(s.AccountID, "'", "''") + "'"
	projects := "SELECT id FROM projects WHERE NOT deleting AND account_id = " + account
	if s.ProjectID != 0 {
		projects += " AND id = " + strconv.FormatInt(s.ProjectID, 10)
	}
	parts := "SELECT id FROM faults WHERE project_id IN (" + projects + ") UNION ALL SELECT id FROM merged_faults WHERE project_id IN (" + projects + ")"
	return strings.NewReplacer("{account}", account, "{projects}", "("+projects+")", "{parts}", "("+parts+")").Replace(condition)
}

// Has says whether an export has records of a noun.
func (s Scope) Has(n Noun) bool { return s.ProjectID == 0 || !n.account }

// Projects returns the ids of the projects that are exported.
func (s *Store) Projects(ctx context.Context, scope Scope) ([]int64, error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, scope.where("SELECT id FROM projects WHERE id IN {projects} ORDER BY id"))
	return ids, db.Wrap("list projects", err)
}
