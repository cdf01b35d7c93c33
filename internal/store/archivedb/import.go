package archivedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Import stores the records of one export. It is not safe for concurrent use.
type Import struct {
	Target

	s       *Store
	columns map[string][]db.ColumnShape
	users   map[int64]int64  // ids of users by what they were
	shift   map[string]int64 // of a noun: what is added to its ids
	ranges  map[string]Range // of a noun: the ids that its rows have in the export
	renamed map[string]bool  // of a noun: its identifiers are taken on this server, so its rows have others
}

// Target says what is imported, and where.
type Target struct {
	Export    string // which export it is, so that it comes once
	MadeAt    time.Time
	Now       time.Time
	AccountID string // that gets the projects
	Whole     bool   // the export is of an account: its users come, with their roles and teams
}

// NewImport returns an import that goes on where it was left.
func (s *Store) NewImport(ctx context.Context, t Target) (*Import, error) {
	columns, err := s.db.Columns(ctx, s.db.Read)
	return &Import{Target: t, s: s, columns: columns, users: map[int64]int64{}, shift: map[string]int64{}, ranges: map[string]Range{}, renamed: map[string]bool{}}, err
}

// The place of an export among what was imported; see movedb.
const importedFrom = "sett"

const readProgress = `-- archivedb.readProgress
SELECT cursor FROM import_runs WHERE source = $1 AND host = $2 AND list = $3`

const writeProgress = `-- archivedb.writeProgress
INSERT INTO import_runs (source, host, list, cursor, at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (source, host, list) DO UPDATE SET cursor = excluded.cursor, at = excluded.at`

func (i *Import) progress(ctx context.Context, q db.Querier, list string) (text string, err error) {
	err = q.QueryRowContext(ctx, i.s.db.Text(readProgress), importedFrom, i.Export, list).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return text, db.Wrap("read progress of an import", err)
}

func (i *Import) note(ctx context.Context, t *db.Tx, list, text string) error {
	_, err := t.Exec(ctx, writeProgress, importedFrom, i.Export, list, text, db.Micros(i.Now))
	return err
}

// Done returns how many records of a noun were stored before.
func (i *Import) Done(ctx context.Context, noun string) (int64, error) {
	text, err := i.progress(ctx, i.s.db.Read, noun)
	if err != nil || text == "" {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// Range is the ids that the records of a noun have.
type Range struct{ First, Last int64 }

// mostID is the largest id of an export: JSON of any program keeps it.
const mostID = 1 << 53

// moved returns the id that a row of a noun has here. One that is not among those of the export is an Invalid error: it
// could be of another account.
func (i *Import) moved(noun string, id int64) (int64, error) {
	if r := i.ranges[noun]; id < r.First || id > r.Last || id == 0 {
		return 0, sett.Errorf(sett.Invalid, "a record refers to %d of %s, which the export does not have", id, noun)
	}
	return id + i.shift[noun], nil
}

// Reserve decides which ids the rows of a noun get, so that they are in the same order and no one else has them: their own
// if all of them are above those of this server. owns are the identifiers that no two rows of a server have: if one of them
// is taken, all rows get others. It must be called for each noun before any is stored.
func (i *Import) Reserve(ctx context.Context, n Noun, ids Range, owns []any) error {
	if ids.First < 0 || ids.Last < ids.First || ids.Last > mostID {
		return sett.Errorf(sett.Invalid, "export.json: the ids of %s are from %d to %d", n.Name, ids.First, ids.Last)
	}
	i.ranges[n.Name] = ids
	list := "ids of " + n.Name
	return i.s.db.InTx(ctx, "reserve ids", func(t *db.Tx) error {
		text, err := i.progress(ctx, t, list)
		if err != nil {
			return err
		}
		if text == "" {
			if text, err = i.reserve(ctx, t, n, ids, owns); err != nil {
				return err
			}
			if err := i.note(ctx, t, list, text); err != nil {
				return err
			}
		}
		shift, renamed, _ := strings.Cut(text, " ")
		i.renamed[n.Name] = renamed != ""
		i.shift[n.Name], err = strconv.ParseInt(shift, 10, 64)
		return err
	})
}

func (i *Import) reserve(ctx context.Context, t *db.Tx, n Noun, ids Range, owns []any) (string, error) {
	shift := int64(0)
	if n.ID != "" && ids.Last > 0 {
		last, err := t.LastID(ctx, n.Table, n.ID)
		if err != nil {
			return "", err
		}
		if ids.First <= last {
			shift = last - ids.First + 1
		}
		if err := t.SkipIDs(ctx, n.Table, n.ID, ids.Last+shift); err != nil {
			return "", err
		}
	}
	text := strconv.FormatInt(shift, 10)
	for _, own := range owns {
		var taken bool
		err := t.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+n.Table+" WHERE "+n.Own+" = $1)", own).Scan(&taken)
		if err != nil {
			return "", err
		}
		if taken {
			return text + " renamed", nil
		}
	}
	return text, nil
}

func (i *Import) column(n Noun, name string) (db.ColumnShape, bool) {
	at := slices.IndexFunc(i.columns[n.Table], func(c db.ColumnShape) bool { return c.Name == name })
	if at < 0 {
		return db.ColumnShape{}, false
	}
	return i.columns[n.Table][at], true
}

// MostRows is how many rows one transaction stores.
const MostRows = 500

// Add stores records of a noun, which are not more than MostRows, and notes that so many of the noun are stored. It
// returns how many came; those that refer to users who are not here may not.
func (i *Import) Add(ctx context.Context, n Noun, records []map[string]any, upto int64) (came int64, err error) {
	err = i.s.db.InTx(ctx, "import "+n.Name, func(t *db.Tx) error {
		var rows [][]any
		for _, r := range records {
			row, err := i.row(ctx, t, n, r)
			if err != nil {
				return err
			}
			if row != nil {
				rows = append(rows, row)
			}
		}
		came = int64(len(rows))
		if err := i.insert(ctx, t, n, rows); err != nil {
			return fmt.Errorf("a record of %s.jsonl cannot be stored: %w", n.Name, err)
		}
		i.announce(t, n)
		return i.note(ctx, t, n.Name, strconv.FormatInt(upto, 10))
	})
	if err != nil {
		return 0, err
	}
	return came, nil
}

// rowsAtOnce is how many rows one statement inserts; what is left is inserted row by row, so that each noun has two statements.
const rowsAtOnce = 50

func (i *Import) insert(ctx context.Context, t *db.Tx, n Noun, rows [][]any) error {
	for len(rows) > 0 {
		many := 1
		if len(rows) >= rowsAtOnce {
			many = rowsAtOnce
		}
		if _, err := t.Exec(ctx, i.inserting(n, many), slices.Concat(rows[:many]...)...); err != nil {
			return err
		}
		rows = rows[many:]
	}
	return nil
}

// inserting returns the statement that inserts so many rows of a noun.
func (i *Import) inserting(n Noun, many int) string {
	var names []string
	for _, c := range i.columns[n.Table] {
		names = append(names, c.Name)
	}
	rows, parameter := make([]string, many), 0
	for r := range rows {
		marks := make([]string, len(names))
		for m := range marks {
			parameter++
			marks[m] = "$" + strconv.Itoa(parameter)
		}
		rows[r] = "(" + strings.Join(marks, ", ") + ")"
	}
	statement := "-- archivedb.add " + n.Name + "\nINSERT INTO " + n.Table + " (" + strings.Join(names, ", ") + ") VALUES " + strings.Join(rows, ", ")
	if n.Table == "memberships" || n.Table == "team_members" || n.Table == "accounts" {
		statement += " ON CONFLICT DO NOTHING"
	}
	return statement
}

const userOfAddress = `-- archivedb.userOfAddress
SELECT id FROM users WHERE email = $1`

// Users finds the users of an export by their email addresses, and makes those that are missing if the account is made.
func (i *Import) Users(ctx context.Context, n Noun, records []map[string]any) (made int64, err error) {
	err = i.s.db.InTx(ctx, "import users", func(t *db.Tx) error {
		made = 0
		for _, r := range records {
			old, err := integer(r["id"])
			if err != nil {
				return fmt.Errorf("users: %w", err)
			}
			email, _ := r["email"].(string)
			email = strings.ToLower(strings.TrimSpace(email))
			var id int64
			err = t.QueryRowContext(ctx, i.s.db.Text(userOfAddress), email).Scan(&id)
			switch {
			case err == nil:
				i.users[old] = id
				continue
			case !errors.Is(err, sql.ErrNoRows):
				return err
			case !i.Whole || !strings.Contains(email, "@"):
				continue
			}
			if i.users[old], err = i.moved(n.Name, old); err != nil {
				return err
			}
			row, err := i.row(ctx, t, n, r)
			if err != nil {
				return err
			}
			if err := i.insert(ctx, t, n, [][]any{row}); err != nil {
				return fmt.Errorf("users: %w", err)
			}
			made++
		}
		return nil
	})
	return made, err
}

const projectLeft = `-- archivedb.projectLeft
SELECT EXISTS (SELECT 1 FROM projects WHERE id >= $1 AND id <= $2 AND NOT deleting)`

// Deleted says whether the projects of an export came, and people have deleted all of them since. It is asked after Reserve.
func (i *Import) Deleted(ctx context.Context, projects string) (bool, error) {
	came, err := i.Done(ctx, projects)
	if err != nil || came == 0 {
		return false, err
	}
	var left bool
	ids := i.ranges[projects]
	err = i.s.db.Read.QueryRowContext(ctx, i.s.db.Text(projectLeft), ids.First+i.shift[projects], ids.Last+i.shift[projects]).Scan(&left)
	return !left, db.Wrap("look for imported projects", err)
}

// Begun says whether something of an export was stored before.
func (s *Store) Begun(ctx context.Context, export string) (bool, error) {
	i := &Import{Target: Target{Export: export}, s: s}
	text, err := i.progress(ctx, s.db.Read, "ids of projects")
	return text != "", err
}
