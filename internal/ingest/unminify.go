package ingest

import (
	"context"
	"time"

	"sett/internal/event/payload"
	"sett/internal/ingest/event"
	"sett/internal/ingest/unminify"
	"sett/internal/sett/accounts"
)

// unminifyTime bounds the queries of the store for one event.
const unminifyTime = 2 * time.Second

// unminifier returns what finds the origins of minified frames of a project; nil if the project has no source maps. An event whose maps are
// not at hand is grouped by its minified frames.
func (in *Ingest) unminifier(p accounts.KeyedProject) func(*event.Code) {
	if !p.SourceMaps {
		return nil
	}
	return func(c *event.Code) {
		ctx, cancel := context.WithTimeout(context.Background(), unminifyTime)
		defer cancel()
		meta, _ := payload.DecodeObject([]byte(c.DebugMeta)) // what is no object names no files
		build := unminify.Build{ProjectID: p.ProjectID, Revision: c.Revision, Root: c.Root, DebugIDs: unminify.DebugIDs(meta)}
		frames := make([]unminify.Frame, len(c.Frames))
		for i, f := range c.Frames {
			frames[i] = unminify.Frame{File: f.File, Method: f.Method, Line: f.Line, Column: f.Column}
		}
		origins, err := in.maps.Quick(build).Origins(ctx, frames)
		if err != nil {
			return
		}
		for i, o := range origins {
			if o.Mapped() { // without the method, whose minified name differs in each build
				c.Frames[i] = event.CodeFrame{File: o.File, Line: o.Line, Column: o.Column, Original: true, Vendored: o.Vendored()}
			}
		}
	}
}
