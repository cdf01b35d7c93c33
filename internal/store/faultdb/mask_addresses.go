package faultdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// maskedAtOnce is how many rows one transaction checks.
const maskedAtOnce = 500

// oldAddresses is a column in which earlier versions of sett stored URLs with their credentials.
type oldAddresses struct {
	table, column string
	condition     string
	mask          func(text string) (string, error)
}

// MaskedTables lists the tables of allOldAddresses.
var MaskedTables = []string{"alerts", "audit_log"}

func allOldAddresses() []oldAddresses {
	return []oldAddresses{
		{"alerts", "facts", `event IN ('down', 'up', 'cert_will_expire')`, maskedFacts},
		{"audit_log", "changes", `changes LIKE '%://%'`, maskedEntry},
		{"audit_log", "query", `query LIKE '%://%'`, maskedEntry},
	}
}

// maskOld masks the credentials that earlier versions of sett stored. It runs before the database has its first key: an interrupted run
// is repeated at the next start, a completed one is not.
func (s *Store) maskOld(ctx context.Context) error {
	for _, o := range allOldAddresses() {
		for last := int64(math.MaxInt64); last > 0; {
			err := s.inTx(ctx, "mask addresses", func(t Tx) (err error) {
				t.KeepsCaches = true
				last, err = t.maskSome(ctx, o, last)
				return err
			})
			if err != nil {
				return fmt.Errorf("mask %s.%s: %w", o.table, o.column, err)
			}
		}
	}
	return nil
}

// maskSome masks rows before an id, newest first, and returns the last id that it read; 0 if there are no more.
func (t Tx) maskSome(ctx context.Context, o oldAddresses, before int64) (last int64, err error) {
	statement := fmt.Sprintf("-- faultdb.old addresses of %s.%s\nSELECT id, %s FROM %s WHERE id < $1 AND %s ORDER BY id DESC LIMIT $2", o.table, o.column, o.column, o.table, o.condition)
	texts := map[int64]string{}
	rows, err := t.QueryContext(ctx, t.s.db.Text(statement), before, maskedAtOnce)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		text := ""
		err := rows.Scan(&last, &text)
		texts[last] = text
		return err
	})
	for id, text := range texts {
		if err == nil {
			err = t.maskRow(ctx, o, id, text)
		}
	}
	return last, err
}

// maskRow masks one text. An unreadable text is left alone: nothing can show it either.
func (t Tx) maskRow(ctx context.Context, o oldAddresses, id int64, text string) error {
	masked, err := o.mask(text)
	if err != nil || masked == text {
		return nil //nolint:nilerr // see above
	}
	if err := t.NoteLeftOver(ctx); err != nil {
		return err
	}
	_, err = t.Exec(ctx, fmt.Sprintf("-- faultdb.mask %s.%s\nUPDATE %s SET %s = $1 WHERE id = $2", o.table, o.column, o.table, o.column), masked, id)
	return err
}

// maskedFacts returns the facts of an alert with the masked URL of its site, and all else unchanged.
func maskedFacts(text string) (string, error) {
	facts, site := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &facts); err != nil || facts["site"] == nil {
		return text, err
	}
	if err := json.Unmarshal(facts["site"], &site); err != nil {
		return text, err
	}
	address := ""
	if err := json.Unmarshal(site["url"], &address); err != nil || checks.ShownAddress(address) == address {
		return text, err
	}
	site["url"], _ = json.Marshal(checks.ShownAddress(address)) // a string can always be encoded as JSON
	facts["site"], _ = json.Marshal(site)
	masked, err := json.Marshal(facts)
	return string(masked), err
}

// maskedEntry returns the changes or the query of an audit log entry as they are stored now.
func maskedEntry(text string) (string, error) { return string(sett.MaskedBody([]byte(text))), nil }
