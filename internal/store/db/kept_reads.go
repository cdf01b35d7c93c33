package db

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"

	"modernc.org/sqlite"
)

// mostKeptReads is how many statements a connection that reads keeps prepared. Searches have texts of their own, so there is
// no end of them.
const mostKeptReads = 200

// openReaders opens SQLite connections that keep the statements prepared that were last used: to prepare one takes longer
// than to run most of them. pgx does so by itself.
func openReaders(dsn string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(readerConnector{c}), nil
}

type readerConnector struct{ driver.Connector }

// Connect is that of driver.Connector.
func (c readerConnector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &readerConn{sqliteConn: opened.(sqliteConn), kept: map[string]*list.Element{}}, nil
}

// sqliteConn is what the driver's connections can do that is wanted here.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// readerConn is a connection that keeps statements; as of any, nobody uses it at the same time as somebody else.
type readerConn struct {
	sqliteConn
	kept  map[string]*list.Element // by their text
	order list.List                // of *keptRead, the one last used in front
}

// keptRead is a statement that is kept. While somebody reads its rows, it cannot be run again.
type keptRead struct {
	text string
	stmt driver.Stmt
	busy bool
}

// QueryContext is that of driver.QueryerContext.
func (c *readerConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	k, err := c.keep(ctx, text)
	if err != nil {
		return nil, err
	}
	if k.busy {
		return c.sqliteConn.QueryContext(ctx, text, args)
	}
	rows, err := k.stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	k.busy = true
	return keptRows{rows, k}, nil
}

// keep returns the statement of a text, and prepares it unless it is kept already.
func (c *readerConn) keep(ctx context.Context, text string) (*keptRead, error) {
	if e, ok := c.kept[text]; ok {
		c.order.MoveToFront(e)
		return e.Value.(*keptRead), nil
	}
	stmt, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	k := &keptRead{text: text, stmt: stmt}
	c.kept[text] = c.order.PushFront(k)
	return k, c.drop()
}

// drop lets go of the statement that was not used for the longest time, when there are too many.
func (c *readerConn) drop() error {
	last := c.order.Back()
	k := last.Value.(*keptRead)
	if c.order.Len() <= mostKeptReads || k.busy {
		return nil
	}
	c.order.Remove(last)
	delete(c.kept, k.text)
	return k.stmt.Close()
}

// Close is that of driver.Conn.
func (c *readerConn) Close() error {
	for e := c.order.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*keptRead).stmt.Close() // the connection goes, whatever it says
	}
	return c.sqliteConn.Close()
}

// keptRows are the rows of a statement that is kept.
type keptRows struct {
	driver.Rows
	of *keptRead
}

// Close is that of driver.Rows.
func (r keptRows) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}
