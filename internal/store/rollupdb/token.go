package rollupdb

import (
	"sett/internal/sett"
)

// TokenKey is a client's own id of a notice. It is unique within a project only.
type TokenKey struct {
	Project int64
	Token   sett.UUID
}

// PendingToken returns the notice that a token belongs to while table notice_tokens does not hold it yet. Look a token up here first, and
// in the table afterwards.
func (s *Store) PendingToken(k TokenKey) (id sett.NoticeID, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d := s.of(&Notice{Token: k.Token})[TokenRollup]
	if id, ok = d.sum.(tokens)[k]; !ok && d.flushing != nil {
		id, ok = d.flushing.(tokens)[k]
	}
	return id, ok
}
