package db

import (
	"context"
	"crypto/rand"
	"io"
)

type randomKey struct{}

// WithRandom returns a context under which new ids, keys and tokens are drawn from source, so that the same data can be generated again.
// A reader of the source can compute them all, so never create real data with it.
func WithRandom(ctx context.Context, source io.Reader) context.Context {
	return context.WithValue(ctx, randomKey{}, source)
}

// RandomOf returns the source of new ids, keys and tokens: the system's random source, unless WithRandom set another.
func RandomOf(ctx context.Context) io.Reader {
	if source, ok := ctx.Value(randomKey{}).(io.Reader); ok {
		return source
	}
	return rand.Reader
}
