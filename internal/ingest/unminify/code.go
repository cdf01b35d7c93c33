package unminify

import (
	"context"
	"time"

	"sett/internal/event/payload"
	"sett/internal/ingest/event"
)

// storeTime bounds the queries of the store for one event at intake.
const storeTime = 2 * time.Second

// Replace returns what puts the origins of minified frames in their place, for an event of a project that is to be grouped. An event whose
// maps are not at hand is grouped by its minified frames.
func (s *Maps) Replace(projectID int64) func(*event.Code) {
	return s.replace(projectID, hurry, storeTime)
}

// ReplaceAll is Replace for events that no client waits for: any map that can be had is waited for.
func (s *Maps) ReplaceAll(projectID int64) func(*event.Code) {
	return s.replace(projectID, loadTime, loadTime)
}

func (s *Maps) replace(projectID int64, wait, bound time.Duration) func(*event.Code) {
	return func(c *event.Code) {
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		meta, _ := payload.DecodeObject([]byte(c.DebugMeta)) // what is no object names no files
		build := Build{ProjectID: projectID, Revision: c.Revision, Root: c.Root, DebugIDs: DebugIDs(meta)}
		frames := make([]Frame, len(c.Frames))
		for i, f := range c.Frames {
			frames[i] = Frame{File: f.File, Method: f.Method, Line: f.Line, Column: f.Column}
		}
		origins, err := s.lookup(build, true, wait).Origins(ctx, frames)
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
