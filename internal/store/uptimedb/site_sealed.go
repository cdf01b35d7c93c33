package uptimedb

import "sett/internal/store/db"

// The encrypted columns. To add one, add a line, and use Seal and Reveal where it is written and read: its existing values are encrypted
// at the next start.
var (
	sealedHeaders = &db.SealedColumn{Table: "sites", Column: "request_headers", Row: "uuid", Lost: `UPDATE sites SET request_headers = 'null', active = false`}
	sealedBody    = &db.SealedColumn{Table: "sites", Column: "request_body", Row: "uuid", Lost: `UPDATE sites SET request_body = '', active = false`}
)

// Sealed lists all of them.
var Sealed = []*db.SealedColumn{sealedHeaders, sealedBody}
