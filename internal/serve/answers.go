package serve

import (
	"net/http"
	"sync"
	"sync/atomic"
)

// Answers counts the answers of a server by the tag of their route and by status. The zero value is ready.
type Answers struct{ counts sync.Map } // from answerKind to *atomic.Int64; routes bound its size

type answerKind struct {
	tag    string // "": no route matched, or it has none
	status int
}

// Each calls visit with every count so far.
func (a *Answers) Each(visit func(tag string, status int, count int64)) {
	a.counts.Range(func(kind, count any) bool {
		k := kind.(answerKind)
		visit(k.tag, k.status, count.(*atomic.Int64).Load())
		return true
	})
}

func (a *Answers) add(f *facts) {
	kind := answerKind{f.tag, f.status}
	if kind.status == 0 {
		kind.status = http.StatusOK // net/http sends it for a handler that wrote nothing
	}
	count, ok := a.counts.Load(kind)
	if !ok {
		count, _ = a.counts.LoadOrStore(kind, new(atomic.Int64))
	}
	count.(*atomic.Int64).Add(1)
}

// countAnswers counts what next answers, within a Log.
func countAnswers(answers *Answers, next http.Handler) http.Handler {
	if answers == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer answers.add(factsOf(r.Context()))
		next.ServeHTTP(w, r)
	})
}
