package store

import (
	"slices"

	"sett/internal/store/db"
)

// sealedColumns are all columns that are encrypted.
var sealedColumns = db.SealedColumns{
	Columns: slices.Concat(sealedOfMails, sealedOfAccounts, sealedOfStatus, sealedOfSites, sealedOfDelivery),
	Masked:  maskedTables,
}
