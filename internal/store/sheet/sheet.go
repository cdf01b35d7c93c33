// Package sheet reads all that one page or one message shows of its subject: in one transaction, so that its parts agree, and with nothing
// else. It takes the names of what is wanted, and returns a sheet, from which a page or a message is made without the database. Each sheet has
// a file of its own; the statements are in the packages of the nouns. It never writes, and never decides what is shown.
package sheet

import (
	"sett/internal/store/accountdb"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/faultdb"
	"sett/internal/store/insightdb"
	"sett/internal/store/repodb"
	"sett/internal/store/uptimedb"
)

// Store reads sheets from an open database. It is safe for concurrent use.
type Store struct {
	DB          *db.DB
	Accounts    *accountdb.Store
	Uptime      *uptimedb.Store
	Faults      *faultdb.Store
	Attachments *attachmentdb.Store
	Deliveries  *deliverydb.Store
	Repos       *repodb.Store
	Insights    *insightdb.Store
}
