package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// sealedColumn is a column whose values are encrypted: the database alone does not reveal them. A value is bound to its
// table, column and row, so that one moved elsewhere cannot be read. An empty value stays empty.
type sealedColumn struct {
	table, column string
	row           string // columns, between commas, that name a row and never change
	binary        bool   // its type is bytea

	hash     string              // column with the hash by which a value is looked up; "" for none
	hashOf   func(string) []byte // of a value
	hashOnly bool                // the value itself is not kept

	// lost is the statement that forgets a value whose key was lost, in the rows that its condition is added to. {{random}} is
	// a new token in it.
	lost string
}

// SealedColumns are the columns that are encrypted, and the tables in which an earlier version stored what is masked now.
type SealedColumns struct {
	Columns []*sealedColumn
	Masked  []string
}

// name is the column in messages for people.
func (c *sealedColumn) name() string { return c.table + "." + c.column }

// place is what a value is bound to: the table, the column and what names the row.
func (c *sealedColumn) place(row []any) string {
	parts := []string{c.name()}
	for _, v := range row {
		switch v := v.(type) {
		case int64:
			parts = append(parts, strconv.FormatInt(v, 10))
		case string:
			parts = append(parts, strconv.Quote(v))
		case []byte:
			parts = append(parts, hex.EncodeToString(v))
		case sett.UUID:
			parts = append(parts, hex.EncodeToString(v[:]))
		default:
			panic(fmt.Sprintf("store: a row cannot be named by a %T", v))
		}
	}
	return strings.Join(parts, " ")
}

// hashOfToken is what a token is looked up by. Tokens are random, so no salt is needed.
func hashOfToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// placeholder stands for a token in a new row until the row has the id that the token is encrypted for. No two are the same.
func placeholder(token string) string { return hex.EncodeToString(hashOfToken(token)) }
