package delivery

import "sett/internal/store/db"

// The columns that are encrypted. To add one, add a line, and use Seal and Reveal where it is written and read: what is in
// it already is encrypted at the next start.
var (
	sealedOptions = &db.SealedColumn{Table: "integrations", Column: "options", Row: "id", Lost: `UPDATE integrations SET options = '{}', active = false`}
	sealedLinkKey = &db.SealedColumn{Table: "unsubscribe_links", Column: "key", Row: "user_id, project_id", Binary: true, Lost: `DELETE FROM unsubscribe_links`}
)

// Sealed are all of them.
var Sealed = []*db.SealedColumn{sealedOptions, sealedLinkKey}
