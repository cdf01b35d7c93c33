package store

import (
	"encoding/json"

	"sett/internal/store/db"
)

// The columns that are encrypted. To add one, add a line, and use seal and reveal where it is written and read: what is in it
// already is encrypted at the next start.
var (
	sealedFactor     = &db.SealedColumn{Table: "second_factors", Column: "secret", Row: "user_id", Lost: `DELETE FROM second_factors`}
	sealedOptions    = &db.SealedColumn{Table: "integrations", Column: "options", Row: "id", Lost: `UPDATE integrations SET options = '{}', active = false`}
	sealedURL        = &db.SealedColumn{Table: "sites", Column: "url", Row: "uuid", Lost: `UPDATE sites SET url = '', active = false`}
	sealedHeaders    = &db.SealedColumn{Table: "sites", Column: "request_headers", Row: "uuid", Lost: `UPDATE sites SET request_headers = 'null', active = false`}
	sealedBody       = &db.SealedColumn{Table: "sites", Column: "request_body", Row: "uuid", Lost: `UPDATE sites SET request_body = '', active = false`}
	sealedInvitation = &db.SealedColumn{Table: "invitations", Column: "token", Row: "id", Hash: "token_hash", HashOf: db.HashOfToken, Lost: `UPDATE invitations SET token = {{random}}`}
	sealedMailToken  = &db.SealedColumn{Table: "invitations", Column: "mail_token", Row: "id", Hash: "mail_token_hash", HashOf: db.HashOfToken, HashOnly: true}
	sealedMail       = &db.SealedColumn{Table: "mails", Column: "fields", Row: "id", Hash: "token_hash", HashOf: hashInMail, Lost: `DELETE FROM mails`}
	sealedFile       = &db.SealedColumn{Table: "certificates", Column: "content", Row: "name", Binary: true, Lost: `DELETE FROM certificates`}
	sealedSubscriber = &db.SealedColumn{Table: "status_subscribers", Column: "token", Row: "id", Hash: "token_hash", HashOf: db.HashOfToken, Lost: `UPDATE status_subscribers SET token = {{random}}`}
	sealedSigning    = &db.SealedColumn{Table: "status_subscribers", Column: "secret", Row: "id", Lost: `UPDATE status_subscribers SET secret = ''`}
	sealedPageKey    = &db.SealedColumn{Table: "status_pages", Column: "password_key", Row: "id", Binary: true, Lost: `UPDATE status_pages SET password_key = {{random}}`}
	sealedLinkKey    = &db.SealedColumn{Table: "unsubscribe_links", Column: "key", Row: "user_id, project_id", Binary: true, Lost: `DELETE FROM unsubscribe_links`}
)

// sealedColumns are all of them.
var sealedColumns = db.SealedColumns{Masked: maskedTables, Columns: []*db.SealedColumn{
	sealedFactor, sealedOptions, sealedURL, sealedHeaders, sealedBody, sealedInvitation, sealedMailToken, sealedMail, sealedFile,
	sealedSubscriber, sealedSigning, sealedPageKey, sealedLinkKey,
}}

// hashInMail is the hash of the token that the fields of a mail have; nil without one.
func hashInMail(fields string) []byte {
	var read struct{ Token string }
	if err := json.Unmarshal([]byte(fields), &read); err != nil || read.Token == "" {
		return nil
	}
	return db.HashOfToken(read.Token)
}
