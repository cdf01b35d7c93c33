package ingest

import (
	"sett/internal/ingest/event"
	"sett/internal/sett/accounts"
)

// unminifier returns what finds the origins of minified frames of a project; nil if the project has no source maps. An event whose maps are
// not at hand is grouped by its minified frames.
func (in *Ingest) unminifier(p accounts.KeyedProject) func(*event.Code) {
	if !p.SourceMaps {
		return nil
	}
	return in.maps.Replace(p.ProjectID)
}
