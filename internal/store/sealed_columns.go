package store

import "encoding/json"

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
var sealedColumns = SealedColumns{Masked: maskedTables, Columns: []*sealedColumn{
	sealedFactor, sealedOptions, sealedURL, sealedHeaders, sealedBody, sealedInvitation, sealedMailToken, sealedMail, sealedFile,
	sealedSubscriber, sealedSigning, sealedPageKey, sealedLinkKey,
}}

// hashInMail is the hash of the token that the fields of a mail have; nil without one.
func hashInMail(fields string) []byte {
	var read struct{ Token string }
	if err := json.Unmarshal([]byte(fields), &read); err != nil || read.Token == "" {
		return nil
	}
	return hashOfToken(read.Token)
}
