package archivedb

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Record is a row as an export has it.
type Record struct {
	Line []byte // a JSON object
	File []byte // of a noun with files
	Key  int64  // of a noun with ids or files: its number
	Own  any    // of a noun with identifiers of its own
}

// Each calls yield with every record of a noun, in the order of the primary key. Secrets are in the records only if that is
// asked for; keys opens them. yield must not keep a record.
func (s *Store) Each(ctx context.Context, keys *db.DB, scope Scope, n Noun, secrets bool, yield func(Record) error) error {
	all, err := s.db.Columns(ctx, s.db.Read)
	if err != nil {
		return err
	}
	columns := n.columns(all[n.Table])
	order, err := s.primaryKey(ctx, n.Table)
	if err != nil {
		return err
	}
	line := []byte{}
	return s.db.EachRow(ctx, s.db.Read, n.Table, columns, scope.where(n.rows), order, func(values []any) error {
		row := map[string]any{}
		for i, c := range columns {
			row[c.Name] = values[i]
		}
		for _, c := range columns {
			if c.Sealed == nil {
				continue
			}
			if err := n.reveal(keys, c, row, secrets); err != nil {
				return err
			}
		}
		if n.Table == "integrations" && !secrets {
			row["active"] = false
		}
		r := Record{Own: row[n.Own]}
		r.Key, _ = row[cmp.Or(n.ID, n.key)].(int64)
		if n.File != "" {
			r.File, _ = row[n.File].([]byte)
		}
		line = line[:0]
		for _, c := range columns {
			if c.Name == n.File {
				continue
			}
			text, err := json.Marshal(shown(row[c.Name]))
			if err != nil {
				return err
			}
			line = append(append(append(append(line, `,"`...), c.Name...), `":`...), text...)
		}
		line[0] = '{'
		r.Line = append(line, '}')
		return yield(r)
	})
}

// columns returns the columns that records have.
func (n Noun) columns(all []db.ColumnShape) (columns []db.ColumnShape) {
	for _, c := range all {
		if _, stays := n.stays[c.Name]; !stays && !n.isHash(c.Name, all) {
			columns = append(columns, c)
		}
	}
	return columns
}

// isHash says whether a column only finds a secret, and follows from it.
func (n Noun) isHash(name string, all []db.ColumnShape) bool {
	for _, c := range all {
		if c.Sealed != nil && c.Sealed.Hash == name {
			return true
		}
	}
	return false
}

const primaryKey = `-- archivedb.primaryKey
SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk`

// primaryKey returns the columns by which a table of an SQLite file is ordered: exports read no other.
func (s *Store) primaryKey(ctx context.Context, table string) (string, error) {
	rows, err := s.db.Read.QueryContext(ctx, primaryKey, table)
	names, err := db.Collect(rows, err, func(r db.Row) (name string, err error) { return name, r.Scan(&name) })
	return strings.Join(names, ", "), db.Wrap("read primary key", err)
}

// reveal replaces an encrypted value by what it is, or by what stands for it.
func (n Noun) reveal(keys *db.DB, c db.ColumnShape, row map[string]any, secrets bool) error {
	if instead, ok := n.safe[c.Name]; ok && !secrets {
		row[c.Name] = c.Sealed.Stored(instead)
		return nil
	}
	var identity []any
	for name := range strings.SplitSeq(c.Sealed.Row, ", ") {
		identity = append(identity, identityOf(name, row[name]))
	}
	stored, _ := row[c.Name].(string)
	if b, ok := row[c.Name].([]byte); ok {
		stored = string(b)
	}
	plain, err := keys.Reveal(c.Sealed, stored, identity...)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Sealed.Name(), err)
	}
	if c.Name == "url" && !secrets {
		plain = withoutPassword(plain)
	}
	row[c.Name] = c.Sealed.Stored(plain)
	return nil
}

// identityOf is a value that an encrypted one is bound to.
func identityOf(column string, value any) any {
	if b, ok := value.([]byte); ok && column == "uuid" && len(b) == len(sett.UUID{}) {
		return sett.UUID(b)
	}
	return value
}

func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}

// shown is a value as JSON has it: bytes are base64.
func shown(v any) any {
	if b, ok := v.([]byte); ok {
		return base64.StdEncoding.EncodeToString(b)
	}
	return v
}
