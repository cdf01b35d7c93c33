package unminify

import "context"

// Test returns which map applies to a URL, and where a position leads if it has a line; else the origin has no frame. The error is the
// store's.
func (l *Lookup) Test(ctx context.Context, f Frame) (Origin, error) {
	if f.Line > 0 || !isScript(l.build.urlOf(f.File)) {
		o, _, err := l.origin(ctx, f)
		return o, err
	}
	file, err := l.file(ctx, f.File)
	if err != nil {
		if _, err := l.load(ctx, file); err != nil {
			return Origin{}, err
		}
		return Origin{}, err
	}
	return Origin{Minified: f, Revision: l.build.Revision, URL: file.url, Map: file.found, Reason: file.reason, Nearest: file.nearest}, nil
}
