package account

import "context"

type uncountedKey struct{}

// Uncounted returns a context under which projects are read without counts of their faults: counting reads each fault, and most pages do
// not show the counts.
func Uncounted(ctx context.Context) context.Context {
	return context.WithValue(ctx, uncountedKey{}, true)
}

func isUncounted(ctx context.Context) bool { return ctx.Value(uncountedKey{}) != nil }
