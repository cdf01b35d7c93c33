package storetest

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"sync"
)

// Objects is object storage in memory, for one test.
type Objects struct {
	mu     sync.Mutex
	bodies map[string][]byte
	away   bool    // nothing responds
	fails  float64 // the share of calls that fail; half of these have done their work all the same
}

// NewObjects returns empty object storage.
func NewObjects() *Objects { return &Objects{bodies: map[string][]byte{}} }

var errAway = errors.New("object storage is away")

// do runs a call, unless it fails.
func (o *Objects) do(f func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		return errAway
	}
	if rand.Float64() < o.fails {
		if rand.IntN(2) == 0 {
			_ = f()
		}
		return errAway
	}
	return f()
}

func (o *Objects) Get(_ context.Context, key string, from, length int64) (part []byte, err error) {
	err = o.do(func() error {
		body, ok := o.bodies[key]
		if !ok || from+length > int64(len(body)) {
			return errors.New("there is no such object: " + key)
		}
		part = body[from : from+length]
		return nil
	})
	return part, err
}

func (o *Objects) Kept(string, int64, int64) ([]byte, bool) { return nil, false }

func (o *Objects) Put(_ context.Context, key string, body []byte) error {
	return o.do(func() error { o.bodies[key] = append([]byte{}, body...); return nil })
}

func (o *Objects) Delete(_ context.Context, key string) error {
	return o.do(func() error { delete(o.bodies, key); return nil })
}

// Keys returns the keys of all objects, and their bodies.
func (o *Objects) Keys() map[string][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.bodies)
}

// Set changes how the storage behaves.
func (o *Objects) Set(away bool, fails float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.away, o.fails = away, fails
}
