package accountdb

import "sett/internal/store/db"

// The encrypted columns. To add one, add a line, and use Seal and Reveal where it is written and read: its existing values are encrypted
// at the next start.
var (
	sealedFactor     = &db.SealedColumn{Table: "second_factors", Column: "secret", Row: "user_id", Lost: `DELETE FROM second_factors`}
	sealedInvitation = &db.SealedColumn{Table: "invitations", Column: "token", Row: "id", Hash: "token_hash", HashOf: db.HashOfToken, Lost: `UPDATE invitations SET token = {{random}}`}
	sealedMailToken  = &db.SealedColumn{Table: "invitations", Column: "mail_token", Row: "id", Hash: "mail_token_hash", HashOf: db.HashOfToken, HashOnly: true}
	sealedFile       = &db.SealedColumn{Table: "certificates", Column: "content", Row: "name", Binary: true, Lost: `DELETE FROM certificates`}
	sealedForward    = &db.SealedColumn{Table: "forwards", Column: "target", Row: "project_id", Lost: `DELETE FROM forwards`}
	sealedSAMLKey    = &db.SealedColumn{Table: "directories", Column: "saml_key", Row: "account_id", Lost: `UPDATE directories SET saml_key = ''`}
	SealedURL        = &db.SealedColumn{Table: "sites", Column: "url", Row: "uuid", Lost: `UPDATE sites SET url = '', active = false`} // of sites, which lists of projects show
)

// Sealed lists all of them.
var Sealed = []*db.SealedColumn{sealedFactor, sealedInvitation, sealedMailToken, sealedFile, sealedForward, sealedSAMLKey, SealedURL}
