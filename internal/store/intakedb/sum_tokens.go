package intakedb

import (
	"bytes"
	"cmp"
	"context"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// tokens maps the tokens of clients to their notices.
type tokens map[tokenKey]sett.NoticeID

func newTokens() sum { return tokens{} }

func (s tokens) add(n *noted) {
	if !n.token.IsZero() {
		s[tokenKey{n.owner.project, n.token}] = n.id
	}
}

const tokenTable = "notice_tokens"

// addTokens is for SQLite, where a token may be there already when notices are counted again.
const addTokens = `-- intakedb.addTokens
INSERT INTO notice_tokens (token, project_id, notice_id)
SELECT k.token, k.project_id, k.notice_id FROM {{rows k(token bytea, project_id bigint, notice_id bigint)}} WHERE true
ON CONFLICT (token, project_id) DO NOTHING`

const addNewTokens = `-- intakedb.addNewTokens
INSERT INTO notice_tokens (token, project_id, notice_id)
SELECT k.token, k.project_id, k.notice_id FROM {{rows k(token bytea, project_id bigint, notice_id bigint)}} WHERE true`

// write stores the tokens, so that all nodes see them. If another node has stored one of them since they were looked up, the transaction
// fails with a conflict; on SQLite this cannot happen.
func (s tokens) write(ctx context.Context, t Tx) error {
	var keys [][]byte
	var projects, ids []int64
	for _, k := range db.Sorted(s, func(a, b tokenKey) int {
		return cmp.Or(bytes.Compare(a.Token[:], b.Token[:]), cmp.Compare(a.Project, b.Project))
	}) {
		keys, projects, ids = append(keys, k.Token[:]), append(projects, k.Project), append(ids, int64(s[k]))
	}
	if t.s.db.SQLite() {
		return t.Each(ctx, addTokens, keys, projects, ids)
	}
	return t.Later(ctx, addNewTokens, keys, projects, ids)
}
