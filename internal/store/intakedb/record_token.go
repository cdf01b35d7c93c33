package intakedb

import (
	"context"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/rollupdb"
)

// askTokens asks which tokens were stored before, and sets aside duplicates within the batch.
func (b *batch) askTokens() {
	first := make(map[rollupdb.TokenKey]int, len(b.in.Reports))
	tokens := make([]rollupdb.TokenKey, 0, len(b.in.Reports))
	b.duplicates = map[int]int{}
	for i, r := range b.in.Reports {
		k := rollupdb.TokenKey{Project: r.ProjectID, Token: r.Token}
		if r.Token.IsZero() {
			continue
		}
		if twin, ok := first[k]; ok {
			b.duplicates[i] = twin
			continue
		}
		first[k], tokens = i, append(tokens, k)
	}
	b.findTokens(tokens, first)
}

// dropRepeated drops the reports whose token was stored before, or is that of an earlier report.
func (b *batch) dropRepeated(context.Context) error {
	b.keep(func(i int) bool {
		_, twin := b.duplicates[i]
		return !twin && !b.receipts[i].Duplicate
	})
	return nil
}

const findTokens = `-- intakedb.findTokens
SELECT k.i FROM {{rows k(i bigint, token bytea, project_id bigint)}}
JOIN notice_tokens t ON t.token = k.token AND t.project_id = k.project_id`

// findTokens marks the reports whose token is stored, some of them once the answers are there; of maps each token to its first report.
func (b *batch) findTokens(tokens []rollupdb.TokenKey, of map[rollupdb.TokenKey]int) {
	unknown := b.S.tokenFilter.Unknown(tokens)
	var keys [][]byte
	var index, projects []int64
	for _, k := range tokens {
		if unknown[k] {
			continue
		}
		if _, ok := b.S.rollups.PendingToken(k); ok {
			b.receipts[of[k]].Duplicate = true
			continue
		}
		index, keys, projects = append(index, int64(of[k])), append(keys, k.Token[:]), append(projects, k.Project)
	}
	b.t.Ask(findTokens, func(rows db.Row) error {
		var i int
		err := rows.Scan(&i)
		b.receipts[i].Duplicate = true
		return err
	}, index, keys, projects)
}

// answerDuplicates gives duplicates within the batch the outcome of the first report with their token.
func (b *batch) answerDuplicates(context.Context) error {
	for i, twin := range b.duplicates {
		b.receipts[i] = b.receipts[twin]
		b.receipts[i].Duplicate = b.receipts[i].Outcome == accounts.Stored
	}
	return nil
}

// tokens returns the tokens of what the batch stored.
func (b *batch) tokens() (tokens []rollupdb.TokenKey) {
	for _, i := range b.Live {
		if r := b.in.Reports[i]; !r.Token.IsZero() {
			tokens = append(tokens, rollupdb.TokenKey{Project: r.ProjectID, Token: r.Token})
		}
	}
	return tokens
}
