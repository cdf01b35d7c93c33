// Package otherdb reads the SQLite file of another program, which may be running. It takes the path of the file and statements; it returns
// rows by the names of their columns, so that a column that some versions lack is empty. It writes no file beside that of the other program
// and never changes one, and believes nothing that the file says.
package otherdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sett/internal/base/moment"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// File is an open file.
type File struct {
	path    string
	db      *sql.DB
	scratch string // directory of the copy; "" for none
	tables  []string
}

// Open opens a file. While it has a log beside it that is not empty, a copy of both is read, which Close deletes.
func Open(ctx context.Context, path string) (f *File, err error) {
	f = &File{path: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, sett.Errorf(sett.Invalid, "%s does not exist.", path)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, sett.Errorf(sett.Invalid, "%s is no file. Give the path of the SQLite file itself.", path)
	}
	file := path
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		if file, err = f.copied(); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	if f.db, err = db.OpenStill(file, f.scratch != ""); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA trusted_schema = OFF", "PRAGMA query_only = ON", "PRAGMA cell_size_check = ON"} {
		if _, err := f.db.ExecContext(ctx, statement); err != nil {
			return nil, errors.Join(f.explain(err), f.Close())
		}
	}
	err = f.Each(ctx, "SELECT name FROM sqlite_master WHERE type = 'table'", func(r Row) error {
		f.tables = append(f.tables, r.Text("name"))
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// tries is how often a file is copied that changes meanwhile.
const tries = 5

// copied copies the file and its log to a directory of its own, and returns the path of the copy.
func (f *File) copied() (path string, err error) {
	if f.scratch, err = os.MkdirTemp("", "sett-import-"); err != nil {
		return "", err
	}
	path = filepath.Join(f.scratch, "copy.db")
	for range tries {
		before := f.stamps()
		for _, end := range []string{"", "-wal"} {
			if err := copyFile(path+end, f.path+end); err != nil && !errors.Is(err, os.ErrNotExist) {
				return "", err
			}
		}
		if before == f.stamps() {
			return path, nil
		}
	}
	return "", sett.Errorf(sett.Conflict, "%s changes too fast to be copied. Stop the program that writes to it, or give a copy of the directory.", f.path)
}

// stamps says when the file and its log changed last, and how long they are.
func (f *File) stamps() (text string) {
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(f.path + end); err == nil {
			text += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		}
	}
	return text
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Close closes the file and deletes its copy.
func (f *File) Close() (err error) {
	if f.db != nil {
		err = f.db.Close()
	}
	if f.scratch != "" {
		err = errors.Join(err, os.RemoveAll(f.scratch))
	}
	return err
}

// Has reports whether the file has a table.
func (f *File) Has(table string) bool { return slices.Contains(f.tables, table) }

// Each calls each with the rows of a statement.
func (f *File) Each(ctx context.Context, statement string, each func(Row) error, args ...any) error {
	rows, err := f.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return f.explain(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return f.explain(err)
	}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return f.explain(err)
		}
		row := Row{}
		for i, name := range names {
			row[name] = values[i]
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return f.explain(rows.Err())
}

func (f *File) explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return sett.Errorf(sett.Invalid, "%s cannot be read; it is damaged, or no SQLite database: %v", f.path, err)
}

// Row is a row by the names of its columns. A value that is missing, or of another type than is asked for, is the zero one.
type Row map[string]any

// Text returns a text, or a number as text.
func (r Row) Text(column string) string {
	switch v := r[column].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64, float64, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// Number returns a number; a fraction is cut off.
func (r Row) Number(column string) int64 {
	switch v := r[column].(type) {
	case int64:
		return v
	case float64:
		return int64(max(min(v, 1<<53), -1<<53))
	case bool:
		if v {
			return 1
		}
	}
	return 0
}

// Flag reports whether a column is neither 0 nor missing.
func (r Row) Flag(column string) bool { return r.Number(column) != 0 || r.Text(column) == "1" }

// Time returns a time; the zero one if it is none. A text without a zone is UTC.
func (r Row) Time(column string) time.Time {
	switch v := r[column].(type) {
	case time.Time:
		return v.UTC()
	case int64:
		return time.Unix(v, 0).UTC()
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999", "2006-01-02T15:04:05.999999", "2006-01-02 15:04"} {
		if at, err := time.Parse(layout, r.Text(column)); err == nil {
			return at
		}
	}
	at, _ := moment.Read(r.Text(column))
	return at.UTC()
}
