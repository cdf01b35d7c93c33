package rollupdb

import (
	"bytes"
	"cmp"
	"context"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// tokens maps the tokens of clients to their notices.
type tokens map[TokenKey]sett.NoticeID

func newTokens() sum { return tokens{} }

func (s tokens) add(n *Notice) {
	if !n.Token.IsZero() {
		s[TokenKey{n.Project, n.Token}] = n.ID
	}
}

// TokenTable is where tokens are stored, by which a conflict is recognised.
const TokenTable = "notice_tokens"

// addTokens is for SQLite, where a token may be there already when notices are counted again.
const addTokens = `-- rollupdb.addTokens
INSERT INTO notice_tokens (token, project_id, notice_id)
SELECT k.token, k.project_id, k.notice_id FROM {{rows k(token bytea, project_id bigint, notice_id bigint)}} WHERE true
ON CONFLICT (token, project_id) DO NOTHING`

const addNewTokens = `-- rollupdb.addNewTokens
INSERT INTO notice_tokens (token, project_id, notice_id)
SELECT k.token, k.project_id, k.notice_id FROM {{rows k(token bytea, project_id bigint, notice_id bigint)}} WHERE true`

// write stores the tokens, so that all nodes see them. If another node has stored one of them since they were looked up, the transaction
// fails with a conflict; on SQLite this cannot happen.
func (s tokens) write(ctx context.Context, t tx) error {
	var keys [][]byte
	var projects, ids []int64
	for _, k := range db.Sorted(s, func(a, b TokenKey) int {
		return cmp.Or(bytes.Compare(a.Token[:], b.Token[:]), cmp.Compare(a.Project, b.Project))
	}) {
		keys, projects, ids = append(keys, k.Token[:]), append(projects, k.Project), append(ids, int64(s[k]))
	}
	if t.s.db.SQLite() {
		return t.Each(ctx, addTokens, keys, projects, ids)
	}
	return t.Later(ctx, addNewTokens, keys, projects, ids)
}
