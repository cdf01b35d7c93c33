package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// ReleaseMemory frees the pages that SQLite has cached so far, for example while the schema was created. It reads again what it needs.
func (d *DB) ReleaseMemory(ctx context.Context) error {
	if d.dialect != sqliteDialect {
		return nil
	}
	var err error
	for _, db := range []*sql.DB{d.Write, d.Read, d.checkpoints.db} {
		err = errors.Join(err, shrink(ctx, db))
	}
	return err
}

// shrink releases the memory of all current connections of a pool.
func shrink(ctx context.Context, db *sql.DB) (err error) {
	open := db.Stats().Idle
	if db.Stats().MaxOpenConnections == 1 {
		open = 1
	}
	conns := make([]*sql.Conn, 0, open)
	defer func() {
		for _, c := range conns {
			err = errors.Join(err, c.Close())
		}
	}()
	for range open {
		c, err := db.Conn(ctx)
		if err != nil {
			return fmt.Errorf("release memory: %w", err)
		}
		conns = append(conns, c)
		if _, err := c.ExecContext(ctx, "PRAGMA shrink_memory"); err != nil {
			return fmt.Errorf("release memory: %w", err)
		}
	}
	return nil
}
