package outbox

import (
	"encoding/json"

	"sett/internal/store/db"
)

// The encrypted columns. To add one, add a line, and use Seal and Reveal where it is written and read: its existing values are encrypted
// at the next start.
var (
	sealedMail = &db.SealedColumn{Table: "mails", Column: "fields", Row: "id", Hash: "token_hash", HashOf: hashInMail, Lost: `DELETE FROM mails`}
)

// Sealed lists all of them.
var Sealed = []*db.SealedColumn{sealedMail}

// hashInMail is the hash of the token in the fields of a mail; nil without one.
func hashInMail(fields string) []byte {
	var read struct{ Token string }
	if err := json.Unmarshal([]byte(fields), &read); err != nil || read.Token == "" {
		return nil
	}
	return db.HashOfToken(read.Token)
}
