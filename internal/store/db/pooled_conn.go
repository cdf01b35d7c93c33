package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// A pooler, such as PgBouncer, may give each transaction another session of PostgreSQL. So sessions keep nothing for us there, no settings
// and no prepared statements: each transaction begins with our settings, in the round trip of its begin, and each other statement has them
// before it.

// poolerKnows are the settings that a pooler takes at the start of a connection and applies to every session.
var poolerKnows = []string{"application_name", "client_encoding", "datestyle", "timezone", "standard_conforming_strings", "options"}

// splitSettings returns the settings that a pooler takes, and those that a transaction can set.
func splitSettings(all map[string]string) (start, local map[string]string) {
	start, local = map[string]string{}, map[string]string{}
	for name, value := range all {
		switch {
		case slices.Contains(poolerKnows, strings.ToLower(name)):
			start[name] = value
		case !strings.HasPrefix(name, "tcp_"): // those concern a connection, and it is the pooler's
			local[name] = value
		}
	}
	return start, local
}

// setText returns a statement that applies settings to this transaction, or to the session.
func setText(settings map[string]string, local bool) string {
	var calls []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		calls = append(calls, fmt.Sprintf("set_config(%s, %s, %t)", quoted(name), quoted(settings[name]), local))
	}
	return "SELECT " + strings.Join(calls, ", ")
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// pooledConnector makes connections to a pooler.
type pooledConnector struct {
	driver.Connector
	settings string
}

func newPooledConnector(config *pgx.ConnConfig, settings map[string]string) driver.Connector {
	own := config.Copy()
	start, local := splitSettings(settings)
	own.RuntimeParams = start
	own.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // which prepares nothing
	return pooledConnector{stdlib.GetConnector(*own), setText(local, true)}
}

// newStickyConnector makes connections to a pooler that keeps a session for each of them.
func newStickyConnector(config *pgx.ConnConfig, settings map[string]string) driver.Connector {
	own := config.Copy()
	start, rest := splitSettings(settings)
	own.RuntimeParams = start
	own.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	return stdlib.GetConnector(*own, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, setText(rest, false))
		return err
	}))
}

// Connect implements driver.Connector.
func (c pooledConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &pooledConn{conn.(*stdlib.Conn), c.settings}, nil
}

// pgxSession is a connection with another name: stdlib.Conn has a method Conn, which a field Conn would hide.
type pgxSession = stdlib.Conn

// pooledConn is a connection to a pooler.
type pooledConn struct {
	*pgxSession
	settings string
}

func (c *pooledConn) before() []pipedStatement { return []pipedStatement{{text: c.settings}} }

func (c *pooledConn) inTransaction() bool { return c.Conn().PgConn().TxStatus() != 'I' }

// BeginTx implements driver.ConnBeginTx.
func (c *pooledConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	text := "begin"
	if sql.IsolationLevel(o.Isolation) == sql.LevelRepeatableRead {
		text += " isolation level repeatable read"
	}
	if o.ReadOnly {
		text += " read only"
	}
	tx, err := c.Conn().BeginTx(ctx, pgx.TxOptions{BeginQuery: text + "; " + c.settings})
	if err != nil {
		return nil, unsent(err)
	}
	end := func(how func(context.Context) error) func() error {
		return func() error { return how(ctx) } // as transactions of stdlib do
	}
	return pooledTx{end(tx.Commit), end(tx.Rollback)}, nil
}

// QueryContext implements driver.QueryerContext.
func (c *pooledConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inTransaction() {
		return c.pgxSession.QueryContext(ctx, text, args)
	}
	rows, err := queryAfter(ctx, c.pgxSession, c.before(), text, args)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// ExecContext implements driver.ExecerContext.
func (c *pooledConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if c.inTransaction() {
		return c.pgxSession.ExecContext(ctx, text, args)
	}
	return execAfter(ctx, c.pgxSession, c.before(), text, args)
}

// pooledTx ends a transaction.
type pooledTx struct{ commit, rollback func() error }

// Commit implements driver.Tx.
func (t pooledTx) Commit() error { return t.commit() }

// Rollback implements driver.Tx.
func (t pooledTx) Rollback() error { return t.rollback() }
