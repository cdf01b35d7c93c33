package intakedb

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// laterSaid is what events have said again since it was last written. A crash loses it: the events then count as having the message of their error.
type laterSaid struct {
	mu    sync.Mutex
	since time.Time
	m     map[faultdb.MessageKey]*newSaid
}

// When it is written at the latest.
const (
	longestSaid  = 2 * time.Second
	mostSaidOnce = 5_000
)

// add adds what a batch said again, once it is committed, or what could not be written.
func (l *laterSaid) add(now time.Time, said map[faultdb.MessageKey]*newSaid) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.m) == 0 {
		l.since, l.m = now, map[faultdb.MessageKey]*newSaid{}
	}
	for k, n := range said {
		if before := l.m[k]; before != nil {
			count := n.count + before.count
			if before.last > n.last {
				n = before
			}
			n.count = count
		}
		l.m[k] = n
	}
}

func (l *laterSaid) due(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.m) > 0 && (now.Sub(l.since) >= longestSaid || len(l.m) >= mostSaidOnce)
}

func (l *laterSaid) take() map[faultdb.MessageKey]*newSaid {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.m
	l.m = nil
	return m
}

// A message that is not stored any longer comes back with the next event that says it; it may have been erased. So may the event whose message stands for those
// that are not kept.
const countMessages = `-- intakedb.countMessages
UPDATE fault_messages SET count = fault_messages.count + k.count, last_id = CASE WHEN fault_messages.last_id > k.last_id THEN fault_messages.last_id ELSE k.last_id END,
    class = CASE WHEN k.replaces AND EXISTS (SELECT 1 FROM notices n WHERE n.id = k.last_id) THEN k.class ELSE fault_messages.class END,
    message = CASE WHEN k.replaces AND EXISTS (SELECT 1 FROM notices n WHERE n.id = k.last_id) THEN k.message ELSE fault_messages.message END
FROM {{rows k(project_id bigint, part_id bigint, cause boolean, key bytea, class text, message text, count bigint, last_id bigint, replaces boolean)}}
WHERE fault_messages.project_id = k.project_id AND fault_messages.part_id = k.part_id AND fault_messages.cause = k.cause AND fault_messages.key = k.key
RETURNING fault_messages.part_id, fault_messages.cause, fault_messages.key`

// flushMessages counts the events that said again what is stored.
func (s *Store) flushMessages(ctx context.Context) error {
	s.rollups.Settled() // the last batch has handed over what it says
	said := s.said.take()
	if len(said) == 0 {
		return nil
	}
	missing := map[faultdb.MessageKey]bool{}
	err := s.inTx(ctx, "count messages", func(t Tx) error {
		t.KeepsCaches, t.Unsynced = true, true
		for k := range said {
			missing[k] = true
		}
		return t.countMessages(ctx, said, missing)
	})
	if err != nil {
		s.said.add(time.Time{}, said) // it is due
		return err
	}
	for k := range missing {
		s.seen.forgetMessages(k.Part)
	}
	return nil
}

// countMessages counts messages, and takes those that are stored from what is missing.
func (t Tx) countMessages(ctx context.Context, said map[faultdb.MessageKey]*newSaid, missing map[faultdb.MessageKey]bool) error {
	var c saidColumns
	var replaces []bool
	projects := map[int64]int64{} // by part
	for _, k := range db.Sorted(said, faultdb.MessageKey.Compare) {
		n, rest := *said[k], k.Key == faults.SaidKey{}
		if !rest {
			n.Said = faults.Said{}
		}
		c.add(k, &n)
		replaces, projects[k.Part] = append(replaces, rest), k.Project
	}
	err := t.EachRow(ctx, countMessages, func(rows *sql.Rows) error {
		var k faultdb.MessageKey
		var key []byte
		err := rows.Scan(&k.Part, &k.Cause, &key)
		copy(k.Key[:], key)
		k.Project = projects[k.Part]
		delete(missing, k)
		return err
	}, c.projects, c.parts, c.causes, c.keys, c.classes, c.messages, c.counts, c.lasts, replaces)
	if err != nil {
		return fmt.Errorf("count messages of faults: %w", err)
	}
	return nil
}
