package intakedb

import (
	"context"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// askTokens asks which tokens were stored before, and sets aside duplicates within the batch.
func (b *batch) askTokens() {
	first := make(map[tokenKey]int, len(b.in.Reports))
	tokens := make([]tokenKey, 0, len(b.in.Reports))
	b.duplicates = map[int]int{}
	for i, r := range b.in.Reports {
		k := tokenKey{r.ProjectID, r.Token}
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

// findTokens marks the reports whose token is stored, some of them once the answers are there; of maps each token to its first report.
func (b *batch) findTokens(tokens []tokenKey, of map[tokenKey]int) {
	unknown := b.S.tokenFilter.Unknown(tokens)
	var keys [][]byte
	var index, projects []int64
	for _, k := range tokens {
		if unknown[k] {
			continue
		}
		if _, ok := b.S.pendingToken(k); ok {
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
func (b *batch) tokens() (tokens []tokenKey) {
	for _, i := range b.Live {
		if r := b.in.Reports[i]; !r.Token.IsZero() {
			tokens = append(tokens, tokenKey{r.ProjectID, r.Token})
		}
	}
	return tokens
}
