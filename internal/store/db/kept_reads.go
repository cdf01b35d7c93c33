package db

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"

	"modernc.org/sqlite"
)

// How many prepared statements a read connection keeps: more than the pages and the API have, since those that take turns would drive each other out.
// Searches have texts of their own, so their number is unlimited. A statement takes about twenty times the memory of its text; one with a long text is
// prepared each time.
const (
	mostKeptReads = 500
	mostKeptText  = 256 << 10 // bytes of all texts of a connection
	longestKept   = 16 << 10  // bytes of one
)

// openReaders opens SQLite connections that keep the most recently used statements prepared: preparing one takes longer than running most
// of them. pgx does this by itself.
func openReaders(dsn string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(readerConnector{c}), nil
}

type readerConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c readerConnector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &readerConn{sqliteConn: opened.(sqliteConn), kept: map[string]*list.Element{}}, nil
}

// sqliteConn is the part of the driver's connections that is used here.
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

// readerConn is a connection that keeps statements. Like all driver connections, it is used by one goroutine at a time.
type readerConn struct {
	sqliteConn
	kept  map[string]*list.Element // by text
	order list.List                // of *keptRead, the most recently used first
	text  int                      // bytes of all texts
}

// keptRead is a prepared statement. It cannot be run again while its rows are being read.
type keptRead struct {
	text string
	stmt driver.Stmt
	busy bool
}

// QueryContext implements driver.QueryerContext.
func (c *readerConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if len(text) > longestKept {
		return c.sqliteConn.QueryContext(ctx, text, args)
	}
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

// keep returns the statement of a text, and prepares it unless it is prepared already.
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
	c.text += len(text)
	return k, c.drop()
}

// drop closes the least recently used statements while there are too many.
func (c *readerConn) drop() error {
	for c.order.Len() > mostKeptReads || c.text > mostKeptText {
		last := c.order.Back()
		k := last.Value.(*keptRead)
		if k.busy {
			return nil
		}
		c.order.Remove(last)
		delete(c.kept, k.text)
		c.text -= len(k.text)
		if err := k.stmt.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Close implements driver.Conn.
func (c *readerConn) Close() error {
	for e := c.order.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*keptRead).stmt.Close() // the connection is closed anyway
	}
	return c.sqliteConn.Close()
}

// keptRows are the rows of a prepared statement.
type keptRows struct {
	driver.Rows
	of *keptRead
}

// Close implements driver.Rows.
func (r keptRows) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}
