package db

import (
	"context"
	"errors"
	"time"
)

// ErrPaceEnds says that work has done as many transactions as it may for now.
var ErrPaceEnds = errors.New("as many transactions as may be done at once are done")

// Pace bounds and slows down work of many transactions, so that others can write in between. It is for one goroutine.
type Pace struct {
	Pieces int                                                 // how many transactions it may do; 0: any number
	Rest   func(ctx context.Context, took time.Duration) error // called between two transactions; an error ends the work
	Within func(ctx context.Context, t *Tx) error              // called in each transaction; an error undoes it

	begun int
	took  time.Duration // by the last transaction
}

type paceKey struct{}

// WithPace returns a context in which InTx keeps a pace; nil for none.
func WithPace(ctx context.Context, p *Pace) context.Context {
	return context.WithValue(ctx, paceKey{}, p)
}

// paced waits for the turn of a transaction, and returns what it does then.
func paced(ctx context.Context, f func(*Tx) error) (func(*Tx) error, error) {
	p, _ := ctx.Value(paceKey{}).(*Pace)
	if p == nil {
		return f, nil
	}
	if err := p.turn(ctx); err != nil {
		return nil, err
	}
	return func(t *Tx) error {
		began := time.Now() // not before: others may have had the database until then
		defer func() { p.took = time.Since(began) }()
		if p.Within != nil {
			if err := p.Within(ctx, t); err != nil {
				return err
			}
		}
		return f(t)
	}, nil
}

func (p *Pace) turn(ctx context.Context) error {
	if p.Pieces > 0 && p.begun >= p.Pieces {
		return ErrPaceEnds
	}
	if p.begun++; p.begun == 1 || p.Rest == nil {
		return ctx.Err()
	}
	return p.Rest(ctx, p.took)
}
