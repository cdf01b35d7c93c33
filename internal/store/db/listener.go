package db

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// listener receives the notifications of other nodes' commits, on a connection of its own beside the pools. It connects when the first
// sleeper appears. Without it, for example behind a pooler that shares sessions between clients, loops find their work when they poll for
// it.
type listener struct {
	config *pgx.ConnConfig // nil: there are no other nodes
	self   string          // the prefix of this process's own notifications, which it ignores

	begun   sync.Once
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// begin listens until close is called, unless it already does.
func (l *listener) begin(w *wakes) {
	l.begun.Do(func() {
		if l.config == nil {
			return
		}
		var ctx context.Context
		ctx, l.stop = context.WithCancel(context.Background())
		l.stopped.Go(func() {
			keepTrying(ctx, func(ctx context.Context) bool { return l.listen(ctx, w) })
		})
	})
}

// close ends the connection for good.
func (l *listener) close() {
	l.begun.Do(func() {})
	if l.stop != nil {
		l.stop()
		l.stopped.Wait()
	}
}

// listen wakes sleepers until the connection is lost or ctx ends. It reports whether there was a connection.
func (l *listener) listen(ctx context.Context, w *wakes) (listened bool) {
	conn, err := l.connect(ctx)
	if err != nil {
		return false
	}
	defer hangUp(conn)
	w.wakeAll() // earlier notifications are lost
	for {
		notification, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true
		}
		if node, topic, _ := strings.Cut(notification.Payload, " "); node != l.self {
			w.wake(Topic(topic))
		}
	}
}

const (
	connectTimeout = 10 * time.Second // whatever the address says
	hangUpTimeout  = time.Second
)

const listen = `-- db.listen
LISTEN sett`

func (l *listener) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, l.config.Copy())
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, listen); err != nil {
		hangUp(conn)
		return nil, err
	}
	return conn, nil
}

// hangUp closes the connection, even if the other end no longer answers.
func hangUp(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), hangUpTimeout)
	defer cancel()
	_ = conn.Close(ctx) // it is of no more use anyway
}

// The backoff of reconnects: it doubles with every failed attempt, from firstRetry up to lastRetry.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// keepTrying calls try until ctx ends; a successful try resets the backoff.
func keepTrying(ctx context.Context, try func(context.Context) (worked bool)) {
	for wait := firstRetry; ctx.Err() == nil; wait = min(2*wait, lastRetry) {
		if try(ctx) {
			wait = firstRetry
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait/2 + rand.N(wait/2)): // jitter, so that nodes do not reconnect all at once
		}
	}
}

const notifyNodes = `-- db.notifyNodes
SELECT pg_notify('sett', $1::text || ' ' || topic) FROM unnest($2::text[]) AS topic`

// notifyNodes makes PostgreSQL notify all nodes of the transaction's topics when it commits. Such commits are serialised in the whole
// server: nothing that intake does for each batch may notify nodes.
func (t *Tx) notifyNodes(ctx context.Context) error {
	if len(t.wakes) == 0 || t.db.dialect == sqliteDialect {
		return nil
	}
	if t.pipe != nil {
		t.pipe.waiting = append(t.pipe.waiting, pipedStatement{text: notifyNodes, args: []any{t.db.listener.self, t.wakes}})
		return nil
	}
	_, err := t.Exec(ctx, notifyNodes, t.db.listener.self, t.wakes)
	return err
}
