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
	t := together{reads: reads}
	for range min(atOnce, len(reads)) - 1 {
		t.others.Go(t.run)
	}
	t.run()
	t.others.Wait()
	if t.panicked != nil {
		panic(t.panicked)
	}
	return t.err
}

// together are reads that run together, and how they ended.
type together struct {
	others sync.WaitGroup

	mu       sync.Mutex
	reads    []func() error // that have not started
	err      error
	panicked any
}

func (t *together) run() {
	for read := t.next(); read != nil; read = t.next() {
		t.one(read)
	}
}

// next returns a read that has not started, or nil if there is none or one has failed.
func (t *together) next() (read func() error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.reads) == 0 || t.err != nil || t.panicked != nil {
		return nil
	}
	read, t.reads = t.reads[0], t.reads[1:]
	return read
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
