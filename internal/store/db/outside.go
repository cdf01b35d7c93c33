package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// What is outside the database takes long to fetch, or cannot be fetched. So nothing is fetched while a transaction holds a connection: one that
// needs something says so by Fetched, and is repeated.

// seen is a snapshot that may need something from outside.
type seen struct {
	*sql.Tx
	outside *outside
}

// outside is what the runs of a snapshot have asked for.
type outside struct {
	have   map[string]fetched
	wanted []wanted
	rounds int
}

type fetched struct {
	value any
	err   error
}

type wanted struct {
	key   string
	fetch func(context.Context) (any, error)
}

// ErrLater is the error of what is fetched when the snapshot has ended. Who gets it may go on, and leave out what it needs that for.
var ErrLater = errors.New("this is fetched when the snapshot has ended")

var errInTx = errors.New("nothing is fetched in a transaction")

// The limits of what a snapshot fetches: at once, in its first round, which then grows, and in the last ones.
const (
	fetchedAtOnce = 8
	firstRound    = 64
	mostInRound   = 4096
	mostRounds    = 64
)

// Fetched returns what a key stands for outside the database. In a snapshot the error is ErrLater until it is fetched; see Snapshot. In a
// transaction that writes nothing is fetched, and it is an error. Without fetch, it returns only what is fetched already.
func Fetched[T any](ctx context.Context, q Querier, key string, fetch func(context.Context) (T, error)) (value T, err error) {
	switch q := q.(type) {
	case *sql.DB:
		return fetch(ctx)
	case *seen:
		got, ok := q.outside.have[key]
		if !ok && fetch != nil {
			q.outside.want(key, func(ctx context.Context) (any, error) { return fetch(ctx) })
		}
		if !ok {
			return value, ErrLater
		}
		value, _ = got.value.(T)
		return value, got.err
	}
	return value, errInTx
}

// Lacks reports whether a snapshot has asked for so much that it should end.
func Lacks(q Querier) bool {
	s, ok := q.(*seen)
	return ok && len(s.outside.wanted) >= s.outside.most()
}

func (o *outside) most() int { return min(firstRound<<min(o.rounds, 8), mostInRound) }

func (o *outside) want(key string, fetch func(context.Context) (any, error)) {
	if len(o.wanted) < o.most() {
		o.wanted = append(o.wanted, wanted{key, fetch})
	}
}

// fetch fetches what is wanted, several at once.
func (o *outside) fetch(ctx context.Context) {
	all := o.wanted
	o.wanted = nil
	o.rounds++
	results := make([]fetched, len(all))
	var group sync.WaitGroup
	slots := make(chan struct{}, fetchedAtOnce)
	for i, w := range all {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			results[i].value, results[i].err = w.fetch(ctx)
		})
	}
	group.Wait()
	for i, w := range all {
		o.have[w.key] = results[i]
	}
}
