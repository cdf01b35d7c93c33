package deliverydb

import "sett/internal/store/db"

// The encrypted columns. To add one, add a line, and use Seal and Reveal where it is written and read: its existing values are encrypted
// at the next start.
var (
	sealedOptions = &db.SealedColumn{Table: "integrations", Column: "options", Row: "id", Lost: `UPDATE integrations SET options = '{}', active = false`}
	sealedLinkKey = &db.SealedColumn{Table: "unsubscribe_links", Column: "key", Row: "user_id, project_id", Binary: true, Lost: `DELETE FROM unsubscribe_links`}
)

// Sealed lists all of them.
var Sealed = []*db.SealedColumn{sealedOptions, sealedLinkKey}
