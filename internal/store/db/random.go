package db

import (
	"context"
	"crypto/rand"
	"io"
)

type randomKey struct{}

// WithRandom returns a context under which new ids, keys and tokens are drawn from source, for data that is to be made the
// same again. Whoever knows the source knows them all, so that no data of anybody may be made under it.
func WithRandom(ctx context.Context, source io.Reader) context.Context {
	return context.WithValue(ctx, randomKey{}, source)
}

// RandomOf returns what new ids, keys and tokens are drawn from: the system's random source, but for WithRandom.
func RandomOf(ctx context.Context) io.Reader {
	if source, ok := ctx.Value(randomKey{}).(io.Reader); ok {
		return source
	}
	return rand.Reader
}
