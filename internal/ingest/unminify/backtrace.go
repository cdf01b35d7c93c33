package unminify

import (
	"context"
	"strconv"

	"sett/internal/event/payload"
)

// Backtrace returns a backtrace of the event as it is in the original code, and where each of its frames comes from. Frames without an
// origin stay as they are. Only the first most frames are looked up. The error is the store's.
func (l *Lookup) Backtrace(ctx context.Context, frames []payload.Frame, most int) ([]payload.Frame, []Origin, error) {
	sent := make([]Frame, 0, min(len(frames), most))
	for _, f := range frames[:min(len(frames), most)] {
		sent = append(sent, Frame{f.File, f.Method, number(f.Number), number(f.Column)})
	}
	origins, err := l.Origins(ctx, sent)
	if err != nil {
		return nil, nil, err
	}
	original := append([]payload.Frame{}, frames...)
	for i, o := range origins {
		if o.Mapped() {
			original[i] = o.payload(frames[i])
		}
	}
	return original, origins, nil
}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// Context is that of the frame, as clients mark frames: "app" for the application's own code, else "all".
func (o Origin) Context() string {
	if o.Vendored() {
		return "all"
	}
	return "app"
}

// payload returns the frame in the original code.
func (o Origin) payload(sent payload.Frame) payload.Frame {
	f := payload.Frame{Number: &o.Line, Column: &o.Column, File: o.File, Method: o.Method, Args: sent.Args, Context: o.Context()}
	if len(o.Source) > 0 {
		f.Source = map[string]string{}
	}
	for _, line := range o.Source {
		f.Source[strconv.Itoa(line.Number)] = line.Text
	}
	return f
}
