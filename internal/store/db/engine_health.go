package db

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

const databaseTime = `-- db.DatabaseTime
SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)`

// DatabaseTime returns the time of PostgreSQL's clock; zero on SQLite, which has none of its own.
func (d *DB) DatabaseTime(ctx context.Context) (time.Time, error) {
	if d.dialect == sqliteDialect {
		return time.Time{}, nil
	}
	var at int64
	if err := d.Read.QueryRowContext(FromPrimary(ctx), databaseTime).Scan(&at); err != nil {
		return time.Time{}, fmt.Errorf("read the clock of the database: %w", err)
	}
	return FromMicros(at), nil
}

const unsafeSettings = `-- db.UnsafeSettings
SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`

// UnsafeSettings returns the names of PostgreSQL settings with which a crash may lose acknowledged data.
func (d *DB) UnsafeSettings(ctx context.Context) (names []string, err error) {
	if d.dialect == sqliteDialect {
		return nil, nil
	}
	rows, err := d.Read.QueryContext(FromPrimary(ctx), unsafeSettings)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read settings of the database: %w", err)
	}
	return names, nil
}
