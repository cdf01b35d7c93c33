package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// The columns that are encrypted. To add one, add a line, and use seal and reveal where it is written and read: what is in it
// already is encrypted at the next start.
var (
	sealedFactor     = &sealedColumn{table: "second_factors", column: "secret", row: "user_id", lost: `DELETE FROM second_factors`}
	sealedOptions    = &sealedColumn{table: "integrations", column: "options", row: "id", lost: `UPDATE integrations SET options = '{}', active = false`}
	sealedURL        = &sealedColumn{table: "sites", column: "url", row: "uuid", lost: `UPDATE sites SET url = '', active = false`}
	sealedHeaders    = &sealedColumn{table: "sites", column: "request_headers", row: "uuid", lost: `UPDATE sites SET request_headers = 'null', active = false`}
	sealedBody       = &sealedColumn{table: "sites", column: "request_body", row: "uuid", lost: `UPDATE sites SET request_body = '', active = false`}
	sealedInvitation = &sealedColumn{table: "invitations", column: "token", row: "id", hash: "token_hash", hashOf: hashOfToken, lost: `UPDATE invitations SET token = {{random}}`}
	sealedMailToken  = &sealedColumn{table: "invitations", column: "mail_token", row: "id", hash: "mail_token_hash", hashOf: hashOfToken, hashOnly: true}
	sealedMail       = &sealedColumn{table: "mails", column: "fields", row: "id", hash: "token_hash", hashOf: hashInMail, lost: `DELETE FROM mails`}
	sealedFile       = &sealedColumn{table: "certificates", column: "content", row: "name", binary: true, lost: `DELETE FROM certificates`}
	sealedSubscriber = &sealedColumn{table: "status_subscribers", column: "token", row: "id", hash: "token_hash", hashOf: hashOfToken, lost: `UPDATE status_subscribers SET token = {{random}}`}
	sealedSigning    = &sealedColumn{table: "status_subscribers", column: "secret", row: "id", lost: `UPDATE status_subscribers SET secret = ''`}
	sealedPageKey    = &sealedColumn{table: "status_pages", column: "password_key", row: "id", binary: true, lost: `UPDATE status_pages SET password_key = {{random}}`}
	sealedLinkKey    = &sealedColumn{table: "unsubscribe_links", column: "key", row: "user_id, project_id", binary: true, lost: `DELETE FROM unsubscribe_links`}
)

// sealedColumns are all of them.
var sealedColumns = []*sealedColumn{
	sealedFactor, sealedOptions, sealedURL, sealedHeaders, sealedBody, sealedInvitation, sealedMailToken, sealedMail, sealedFile,
	sealedSubscriber, sealedSigning, sealedPageKey, sealedLinkKey,
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

// hashInMail is the hash of the token that the fields of a mail have; nil without one.
func hashInMail(fields string) []byte {
	var read struct{ Token string }
	if err := json.Unmarshal([]byte(fields), &read); err != nil || read.Token == "" {
		return nil
	}
	return hashOfToken(read.Token)
}
