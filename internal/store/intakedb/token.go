package intakedb

import (
	"sett/internal/sett"
)

// tokenKey is a client's own id of a notice. It is unique within a project only.
type tokenKey struct {
	Project int64
	Token   sett.UUID
}

// pendingToken returns the notice that a token belongs to while table notice_tokens does not hold it yet. Look a token up here first, and
// in the table afterwards.
func (s *Store) pendingToken(k tokenKey) (id sett.NoticeID, ok bool) {
	s.rollups.mu.RLock()
	defer s.rollups.mu.RUnlock()
	d := s.rollups.of(&noted{token: k.Token})[TokenRollup]
	if id, ok = d.sum.(tokens)[k]; !ok && d.flushing != nil {
		id, ok = d.flushing.(tokens)[k]
	}
	return id, ok
}

// Pending implements Counter.
func (s *Store) Pending(token sett.UUID, projects ...int64) (id sett.NoticeID) {
	s.rollups.Settled()
	for _, project := range projects {
		if pending, ok := s.pendingToken(tokenKey{project, token}); ok {
			id = max(id, pending)
		}
	}
	return id
}

const findTokens = `-- intakedb.findTokens
SELECT k.i FROM {{rows k(i bigint, token bytea, project_id bigint)}}
JOIN notice_tokens t ON t.token = k.token AND t.project_id = k.project_id`
