package storetest

import (
	"sett/internal/sett"
	"sett/internal/store/attachmentdb"
)

// Attach stores a text file of the notice of a project with a public id, and returns what became of it.
func (d *Desk) Attach(project int64, notice sett.UUID, name, text string) attachmentdb.Saved {
	d.T.Helper()
	if d.Attachments.MostBytes == 0 {
		d.Attachments.MostBytes = 1 << 30
	}
	saved, err := d.Attachments.Save(d.T.Context(), Noon, project, notice, []attachmentdb.File{{Name: name, Type: "text/plain", Body: []byte(text)}})
	if err != nil {
		d.T.Fatal(err)
	}
	return saved
}
