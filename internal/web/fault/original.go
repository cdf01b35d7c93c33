package fault

import (
	"context"

	"sett/internal/event/payload"
	"sett/internal/ingest/unminify"
	"sett/internal/sett/faults"
)

// originalOf returns what finds where the frames of a notice come from.
func (p *pages) originalOf(ctx context.Context, n faults.Notice) original {
	lookup := p.Maps.Lookup(unminify.BuildOf(n.ProjectID, n.Payload))
	left := mostFrames
	return func(frames []payload.Frame) ([]payload.Frame, []unminify.Origin, error) {
		original, origins, err := lookup.Backtrace(ctx, frames, left)
		left -= len(origins)
		return original, origins, err
	}
}
