package account

import "context"

type uncountedKey struct{}

// Uncounted returns a context under which projects are read without how many faults they have: that is counted one by
// one, and most pages do not show it.
func Uncounted(ctx context.Context) context.Context {
	return context.WithValue(ctx, uncountedKey{}, true)
}

func isUncounted(ctx context.Context) bool { return ctx.Value(uncountedKey{}) != nil }
