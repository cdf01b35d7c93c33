package spool

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

const saveKeys = `INSERT INTO keys (id, body) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET body = excluded.body`

// SaveKeys replaces what is known of API keys, for a process that starts while the database does not respond.
func (s *Spool) SaveKeys(ctx context.Context, body []byte) error {
	s.using.RLock()
	defer s.using.RUnlock()
	if _, err := s.db.ExecContext(ctx, saveKeys, body); err != nil {
		return fmt.Errorf("save keys in spool: %w", err)
	}
	s.keepKeys(body)
	return nil
}

// keepKeys remembers what the file has of keys, for a file that replaces it.
func (s *Spool) keepKeys(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = body
}

const loadKeys = `SELECT body FROM keys`

// Keys returns what SaveKeys has saved; nil if it never did.
func (s *Spool) Keys(ctx context.Context) (body []byte, err error) {
	s.using.RLock()
	defer s.using.RUnlock()
	return s.readKeys(ctx)
}

func (s *Spool) readKeys(ctx context.Context) (body []byte, err error) {
	err = s.db.QueryRowContext(ctx, loadKeys).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read keys in spool: %w", err)
	}
	s.keepKeys(body)
	return body, nil
}
