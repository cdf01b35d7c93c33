package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sett/internal/sett"
)

// schemaObject is a table, an index, a view or a trigger of an SQLite file.
type schemaObject struct{ kind, name string }

// CheckSchema returns an Invalid error unless an SQLite file has exactly the tables and indexes of a version of the schema. A foreign
// file may have triggers and views, which would run with the first write or read. Call it before anything else is done with the file.
func (d *DB) CheckSchema(ctx context.Context, version int64) error {
	found, err := d.schemaObjects(ctx)
	if err != nil {
		return err
	}
	expected, err := expectedObjects(ctx, filepath.Dir(d.path), version)
	if err != nil {
		return fmt.Errorf("create the expected schema: %w", err)
	}
	for _, o := range sortedObjects(found) {
		text, known := expected[o]
		switch {
		case !known:
			return notItsSchema("has the %s %.60q, which sett does not create", o.kind, o.name)
		case text != found[o]:
			return notItsSchema("has a %s %.60q that differs from that of schema %d", o.kind, o.name, version)
		}
	}
	for _, o := range sortedObjects(expected) {
		if _, has := found[o]; !has {
			return notItsSchema("lacks the %s %.60q of schema %d", o.kind, o.name, version)
		}
	}
	return nil
}

func notItsSchema(format string, args ...any) error {
	return sett.Errorf(sett.Invalid, "The database in the backup "+format+". Nothing was restored. Use another backup.", args...)
}

func sortedObjects(objects map[schemaObject]string) []schemaObject {
	return Sorted(objects, func(a, b schemaObject) int { return strings.Compare(a.kind+"\n"+a.name, b.kind+"\n"+b.name) })
}

const listSchema = `-- db.schemaObjects
SELECT type, name, coalesce(sql, '') FROM sqlite_schema`

// schemaObjects returns the objects in the file, with the statements that created them.
func (d *DB) schemaObjects(ctx context.Context) (objects map[schemaObject]string, err error) {
	objects = map[schemaObject]string{}
	rows, err := d.Read.QueryContext(ctx, listSchema)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var o schemaObject
		var text string
		err := rows.Scan(&o.kind, &o.name, &text)
		if !slices.Contains(tablesOfSQLite, o.name) {
			objects[o] = plainSQL(text)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return objects, nil
}

// tablesOfSQLite are the tables that SQLite creates for itself when it needs them. No other table can have a name with their prefix.
var tablesOfSQLite = []string{"sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}

// These do not change the meaning of a statement.
var (
	sqlComment = regexp.MustCompile(`--[^\n]*`)
	sqlSpace   = regexp.MustCompile(`\s+`)
	sqlMark    = regexp.MustCompile(` ?([(),]) ?`)
)

// plainSQL returns a statement without comments and unneeded space.
func plainSQL(text string) string {
	text = sqlSpace.ReplaceAllString(sqlComment.ReplaceAllString(text, " "), " ")
	return strings.TrimSpace(sqlMark.ReplaceAllString(text, "$1"))
}

// expectedObjects creates a database with a version of the schema, in a temporary directory, and returns its objects.
func expectedObjects(ctx context.Context, beside string, version int64) (objects map[schemaObject]string, err error) {
	dir, err := os.MkdirTemp(beside, "expected-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := Open(ctx, Options{Dir: dir, MadeUp: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if version > 0 {
		p, err := s.provider(s.upkeep)
		if err != nil {
			return nil, err
		}
		if _, err := p.UpTo(ctx, version); err != nil {
			return nil, err
		}
	}
	return s.schemaObjects(ctx)
}
