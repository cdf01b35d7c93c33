package db

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// logPosition is how far the log of the primary was on disk at a moment. Whatever anyone has seen committed until then is before it.
type logPosition struct {
	lsn      string
	timeline string // which begins anew when a standby becomes the primary
}

const findPosition = `-- db.findPosition
SELECT CAST(p AS text), substr(pg_walfile_name(p), 1, 8) FROM pg_current_wal_flush_lsn() AS p`

// positions asks the primary for its position, once for all who ask at the same time: an answer counts only for those who asked before the
// question was sent.
type positions struct {
	primary *sql.DB

	mu      sync.Mutex
	running bool
	next    *positionQuestion // not sent yet
}

// positionQuestion is a question to the primary, and its answer once done is closed.
type positionQuestion struct {
	done chan struct{}
	at   logPosition
	err  error
}

// positionPatience is how long the primary may take to answer.
const positionPatience = 2 * time.Second

// now returns a position of the primary that it had after now was called.
func (p *positions) now(ctx context.Context) (logPosition, error) {
	q := p.join()
	select {
	case <-q.done:
		return q.at, q.err
	case <-ctx.Done():
		return logPosition{}, ctx.Err()
	}
}

// join returns the next question, and has it sent as soon as the one that is on its way was answered.
func (p *positions) join() *positionQuestion {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		p.next = &positionQuestion{done: make(chan struct{})}
	}
	q := p.next
	if !p.running {
		p.running = true
		go p.run()
	}
	return q
}

// run sends questions until there is no more.
func (p *positions) run() {
	for {
		p.mu.Lock()
		q := p.next
		p.next, p.running = nil, q != nil
		p.mu.Unlock()
		if q == nil {
			return
		}
		q.at, q.err = askPosition(p.primary)
		close(q.done)
	}
}

func askPosition(primary *sql.DB) (at logPosition, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), positionPatience)
	defer cancel()
	err = primary.QueryRowContext(ctx, findPosition).Scan(&at.lsn, &at.timeline)
	return at, err
}
