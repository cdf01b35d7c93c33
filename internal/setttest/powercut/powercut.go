// Package powercut simulates power cuts. It records what SQLite writes to the files of a directory and when it syncs them, and rebuilds the
// files as a power cut at some moment may leave them: what was synced is there, and of what was written since then, in any order, each write
// is there, or missing, or torn.
package powercut

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// sector is the size of what a disk writes whole.
const sector = 512

// Recorder records the writes to the files of a directory. It is safe for concurrent use.
type Recorder struct {
	dir   string
	files map[string][]byte // as they were when it began

	mu  sync.Mutex
	ops []op
}

// op is a write, a change of a file's size, or a sync of a file.
type op struct {
	file string
	kind kind
	at   int64 // of a write; the new size; how many operations had ended when a sync began
	data []byte
}

type kind int

const (
	write kind = iota
	resize
	synced
)

// Record begins to record what SQLite writes to a directory, for databases that are opened from now on. The directory must not be in use.
func Record(dir string) (*Recorder, error) {
	r := &Recorder{dir: dir, files: map[string][]byte{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if r.files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	register()
	recorders.Store(dir, r)
	return r, nil
}

// Now returns a moment: how many operations have ended.
func (r *Recorder) Now() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ops)
}

func (r *Recorder) note(o op) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, o)
}

// Sync syncs a file that sett syncs itself; see db.Options.
func (r *Recorder) Sync(f *os.File) error {
	began := r.Now()
	err := f.Sync()
	if err == nil {
		r.note(op{filepath.Base(f.Name()), synced, int64(began), nil})
	}
	return err
}

// Rebuild writes to an empty directory what a power cut at a moment may leave.
func (r *Recorder) Rebuild(dir string, moment int, random *rand.Rand) error {
	r.mu.Lock()
	ops := r.ops[:moment:moment]
	r.mu.Unlock()
	safe := map[string]int64{} // how many operations on a file are on the disk
	for _, o := range ops {
		if o.kind == synced {
			safe[o.file] = max(safe[o.file], o.at)
		}
	}
	files := map[string][]byte{}
	for name, data := range r.files {
		files[name] = append([]byte{}, data...)
	}
	for i, o := range ops {
		switch lost := int64(i) >= safe[o.file]; {
		case o.kind == synced || lost && random.IntN(3) == 0:
		case o.kind == resize:
			files[o.file] = sized(files[o.file], o.at)
		case lost && random.IntN(3) == 0:
			files[o.file] = torn(files[o.file], o, random)
		default:
			files[o.file] = written(files[o.file], o.at, o.data)
		}
	}
	var failed error
	for name, data := range files {
		failed = errors.Join(failed, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	return failed
}

func sized(b []byte, size int64) []byte {
	if int64(len(b)) < size {
		return append(b, make([]byte, size-int64(len(b)))...)
	}
	return b[:size]
}

func written(b []byte, at int64, data []byte) []byte {
	b = sized(b, max(int64(len(b)), at+int64(len(data))))
	copy(b[at:], data)
	return b
}

// torn is written, with only some of the sectors.
func torn(b []byte, o op, random *rand.Rand) []byte {
	for from := int64(0); from < int64(len(o.data)); {
		to := min((o.at+from)/sector*sector+sector-o.at, int64(len(o.data)))
		if random.IntN(2) == 0 {
			b = written(b, o.at+from, o.data[from:to])
		}
		from = to
	}
	return b
}
