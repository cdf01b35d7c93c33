package fault

import (
	"context"
	"slices"

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

// unminified returns a notice with its backtraces as they are in the original code.
func (p *pages) unminified(ctx context.Context, n faults.Notice) (_ faults.Notice, err error) {
	original := p.originalOf(ctx, n)
	if n.Backtrace, _, err = original(n.Backtrace); err != nil {
		return n, err
	}
	n.Causes = slices.Clone(n.Causes)
	for i := range n.Causes[:min(len(n.Causes), mostCauses)] {
		if n.Causes[i].Backtrace, _, err = original(n.Causes[i].Backtrace); err != nil {
			return n, err
		}
	}
	return n, nil
}
