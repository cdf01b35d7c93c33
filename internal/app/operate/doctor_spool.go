package operate

import (
	"context"
	"path/filepath"

	"sett/internal/base/phrase"
	"sett/internal/store/spool"
)

// spool looks at the spool of a server, which holds the file while it runs.
func (d *doctor) spool(context.Context) {
	if d.Database == "" {
		return
	}
	if d.SpoolBytes == 0 {
		d.found("spool", Warn, "there is none; while PostgreSQL does not respond, reports are refused, unless --spool-bytes is set")
		return
	}
	file := filepath.Join(d.Dir, spool.FileName)
	switch found, holds := spool.Look(d.Dir); {
	case !found:
		d.found("spool", Fine, "%s has no spool yet; sett serve creates it", d.Dir)
	case holds:
		d.found("spool", Warn, "%s keeps reports that PostgreSQL has not taken yet; sett serve passes them on once it does", file)
	default:
		d.found("spool", Fine, "%s is empty, and may keep %s of reports while PostgreSQL does not respond", file, phrase.Count(d.SpoolBytes, "byte"))
	}
}
