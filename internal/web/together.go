package web

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// atOnce is how many reads of one page run at a time. All pages share the connections for reading, so a page must leave some of them.
const atOnce = 2

// Together runs the reads of a page, some at a time, and returns when all have ended, with the first error. They must write to different
// variables. After an error no other read starts. A read that panics makes Together panic, as it would in the page's own goroutine.
func Together(reads ...func() error) error {
	queue := make(chan func() error, len(reads))
	for _, read := range reads {
		queue <- read
	}
	close(queue)
	var t together
	for range min(atOnce, len(reads)) - 1 {
		t.others.Go(func() { t.run(queue) })
	}
	t.run(queue)
	t.others.Wait()
	if t.panicked != nil {
		panic(t.panicked)
	}
	return t.err
}

// together is how reads that run together ended.
type together struct {
	others sync.WaitGroup

	mu       sync.Mutex
	err      error
	panicked any
}

func (t *together) run(queue <-chan func() error) {
	for read := range queue {
		t.mu.Lock()
		failed := t.err != nil || t.panicked != nil
		t.mu.Unlock()
		if failed {
			return
		}
		t.one(read)
	}
}

func (t *together) one(read func() error) {
	var err error
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if v := recover(); v != nil {
			t.panicked = fmt.Sprintf("%v\n%s", v, debug.Stack()) // of the goroutine that ends here
		}
		if t.err == nil {
			t.err = err
		}
	}()
	err = read()
}
