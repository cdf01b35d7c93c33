package statusdb

import "sett/internal/store/db"

// The encrypted columns. To add one, add a line, and use Seal and Reveal where it is written and read: its existing values are encrypted
// at the next start.
var (
	sealedSubscriber = &db.SealedColumn{Table: "status_subscribers", Column: "token", Row: "id", Hash: "token_hash", HashOf: db.HashOfToken, Lost: `UPDATE status_subscribers SET token = {{random}}`}
	sealedSigning    = &db.SealedColumn{Table: "status_subscribers", Column: "secret", Row: "id", Lost: `UPDATE status_subscribers SET secret = ''`}
	sealedPageKey    = &db.SealedColumn{Table: "status_pages", Column: "password_key", Row: "id", Binary: true, Lost: `UPDATE status_pages SET password_key = {{random}}`}
)

// Sealed lists all of them.
var Sealed = []*db.SealedColumn{sealedSubscriber, sealedSigning, sealedPageKey}
