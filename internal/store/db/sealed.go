package db

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// SealedColumn is a column whose values are encrypted: the database alone does not reveal them. A value is bound to its table, column and
// row, so that it cannot be read if it is moved elsewhere. An empty value stays empty.
type SealedColumn struct {
	Table, Column string
	Row           string // comma-separated columns that identify a row and never change
	Binary        bool   // its type is bytea

	Hash     string              // column with the hash by which a value is looked up; "" for none
	HashOf   func(string) []byte // of a value
	HashOnly bool                // the value itself is not stored

	// Lost is the statement that clears a value whose key was lost; a condition for the rows is added to it. {{random}} is a new token in
	// it.
	Lost string
}

// SealedColumns are the encrypted columns, and the tables in which an earlier version stored in plain text what is masked now.
type SealedColumns struct {
	Columns []*SealedColumn
	Masked  []string
}

// Name is the name of the column in messages.
func (c *SealedColumn) Name() string { return c.Table + "." + c.Column }

// place is what a value is bound to: the table, the column and the identity of the row.
func (c *SealedColumn) place(row []any) string {
	parts := []string{c.Name()}
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
			panic(fmt.Sprintf("store: a row cannot be identified by a %T", v))
		}
	}
	return strings.Join(parts, " ")
}

// HashOfToken is the hash by which a token is looked up. Tokens are random, so no salt is needed.
func HashOfToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Placeholder stands for a token in a new row until the row has the id that the token is encrypted for. Each is unique.
func Placeholder(token string) string { return hex.EncodeToString(HashOfToken(token)) }
