package db

import (
	"context"
	"fmt"
)

// diskBytes reads the size of the database from each engine.
var diskBytes = map[*dialect]string{
	sqliteDialect: `-- db.DiskBytes
SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`,
	postgresDialect: `-- db.DiskBytes
SELECT pg_database_size(current_database())`,
}

// DiskBytes returns how many bytes the database takes on disk, without a write-ahead log.
func (d *DB) DiskBytes(ctx context.Context) (n int64, err error) {
	if err := d.Read.QueryRowContext(FromPrimary(ctx), diskBytes[d.dialect]).Scan(&n); err != nil {
		return 0, fmt.Errorf("read size of database: %w", err)
	}
	return n, nil
}
