package unminify

import (
	"cmp"
	"fmt"

	"sett/internal/store/sourcemapdb"
)

// Reason says why a frame, or its source, is not shown as in the original code.
type Reason int

// The reasons.
const (
	Found       Reason = iota // there is none: the original position and its source are known
	NotMinified               // the frame is no JavaScript, or has no line: there is nothing to look for
	NoColumn                  // without it, every position of a minified line is the same
	NoMaps                    // the project has none
	NoUpload                  // neither the revision nor the default one has maps
	OtherURL                  // maps were uploaded, but for other URLs
	NoMapping                 // the map says nothing about the position
	NoSource                  // the original position is known, and the map does not contain the file
	Damaged                   // the map cannot be read
	TooLarge                  // the map takes more memory than maps may
	Busy                      // the map is not decoded yet
	TooMany                   // the event has frames of too many files
)

// Why explains a reason, and what to do about it; "" if there is nothing to explain.
func (o Origin) Why() string {
	revision := cmp.Or(o.Revision, sourcemapdb.DefaultRevision)
	switch o.Reason {
	case NoColumn:
		return "The client sent no column, and a source map needs one."
	case NoMaps:
		return "No source maps are uploaded for this project."
	case NoUpload:
		if o.Revision == "" {
			return fmt.Sprintf("The event has no revision, and no source map is uploaded for the revision %s. Set the revision in the client.", revision)
		}
		return fmt.Sprintf("No source map is uploaded for the revision %s.", revision)
	case OtherURL:
		return fmt.Sprintf("No source map of the revision %s has the URL %s. The most similar one is %s.", revision, o.URL, o.Nearest)
	case NoMapping:
		return fmt.Sprintf("The source map has nothing at line %d, column %d. Check that it belongs to the same build.", o.Minified.Line, o.Minified.Column)
	case NoSource:
		return "The source map does not contain this file. Build it with sourcesContent, or upload the file with the map."
	case Damaged:
		return "The source map is damaged. Upload it again."
	case TooLarge:
		return "The source map takes too much memory. Split the bundle into smaller ones."
	case Busy:
		return "The source map is not loaded yet. Reload the page in a moment."
	case TooMany:
		return fmt.Sprintf("The event has frames of more than %d files, and source maps are applied to the first ones.", mostFiles)
	default:
		return ""
	}
}
