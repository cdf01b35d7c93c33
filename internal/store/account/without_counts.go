package account

import "context"

type withoutCountsKey struct{}

// WithoutCounts returns a context under which projects are read without counts of their faults: counting reads each fault, and most pages do
// not show the counts.
func WithoutCounts(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutCountsKey{}, true)
}

func isWithoutCounts(ctx context.Context) bool { return ctx.Value(withoutCountsKey{}) != nil }
