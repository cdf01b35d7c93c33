package intake

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

const addTokens = `-- store.addTokens
INSERT INTO notice_tokens (token, project_id, notice_id)
SELECT k.token, k.project_id, k.notice_id FROM {{rows k(token bytea, project_id bigint, notice_id bigint)}} WHERE true
ON CONFLICT (token, project_id) DO NOTHING RETURNING notice_id`

// write stores the tokens, so that all nodes see them. The error is errMoved if another node has stored one of them since they were
// looked up; on SQLite this cannot happen.
func (s tokens) write(ctx context.Context, t Tx) error {
	var keys [][]byte
	var projects, ids []int64
	for _, k := range db.Sorted(s, func(a, b tokenKey) int {
		return cmp.Or(bytes.Compare(a.Token[:], b.Token[:]), cmp.Compare(a.Project, b.Project))
	}) {
		keys, projects, ids = append(keys, k.Token[:]), append(projects, k.Project), append(ids, int64(s[k]))
	}
	added := 0
	err := t.EachRow(ctx, addTokens, db.ScanID(func(int64) { added++ }), keys, projects, ids)
	if err == nil && added != len(ids) && !t.s.db.SQLite() {
		return errMoved
	}
	return err
}
