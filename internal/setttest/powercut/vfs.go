package powercut

import (
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite reaches files through a table of functions (sqlite.org/vfs.html). The default one is replaced by a copy that records what is written
// to directories with a Recorder, and passes everything on.

var (
	recorders sync.Map // directory → *Recorder
	opened    sync.Map // uintptr of an open file → *recorded
	original  uintptr  // the table that everything is passed on to
	once      sync.Once
)

// recorded is an open file that is recorded.
type recorded struct {
	*Recorder
	name    string
	methods *sqlite3.Tsqlite3_io_methods // the original ones
}

type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	closeFunc = func(tls *libc.TLS, file uintptr) int32
	writeFunc = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	sizeFunc  = func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc  = func(tls *libc.TLS, file uintptr, flags int32) int32
)

// pointer converts a declared function to a C pointer, function a C pointer to a function; both as package modernc.org/sqlite does.
func pointer[T any](f T) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f T }{f})) }

func function[T any](p uintptr) T { return *(*T)(unsafe.Pointer(&struct{ uintptr }{p})) }

// at returns what a C pointer points to.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

func register() {
	once.Do(func() {
		tls := libc.NewTLS()
		original = sqlite3.Xsqlite3_vfs_find(tls, 0)
		table := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
		name, err := libc.CString("recording")
		if err != nil || table == 0 {
			panic("powercut: no memory")
		}
		v := at[sqlite3.Tsqlite3_vfs](table)
		*v = *at[sqlite3.Tsqlite3_vfs](original)
		v.FpNext, v.FzName, v.FxOpen = 0, name, pointer[openFunc](open)
		if sqlite3.Xsqlite3_vfs_register(tls, table, 1) != sqlite3.SQLITE_OK {
			panic("powercut: SQLite does not take the table")
		}
	})
}

func open(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	rc := function[openFunc](at[sqlite3.Tsqlite3_vfs](original).FxOpen)(tls, original, name, file, flags, out)
	if rc != sqlite3.SQLITE_OK || name == 0 || flags&(sqlite3.SQLITE_OPEN_MAIN_DB|sqlite3.SQLITE_OPEN_WAL) == 0 {
		return rc
	}
	path := libc.GoString(name)
	r, ok := recorders.Load(filepath.Dir(path))
	if !ok {
		return rc
	}
	f := at[sqlite3.Tsqlite3_file](file)
	methods := at[sqlite3.Tsqlite3_io_methods](f.FpMethods)
	opened.Store(file, &recorded{r.(*Recorder), filepath.Base(path), methods})
	table := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*methods)))
	if table == 0 {
		panic("powercut: no memory")
	}
	m := at[sqlite3.Tsqlite3_io_methods](table)
	*m = *methods
	m.FxClose, m.FxWrite, m.FxTruncate, m.FxSync = pointer[closeFunc](closeFile), pointer[writeFunc](writeFile), pointer[sizeFunc](resizeFile), pointer[syncFunc](syncFile)
	f.FpMethods = table
	return rc
}

func of(file uintptr) *recorded {
	r, ok := opened.Load(file)
	if !ok {
		panic("powercut: a file that is not open")
	}
	return r.(*recorded)
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	r := of(file)
	opened.Delete(file)
	libc.Xfree(tls, at[sqlite3.Tsqlite3_file](file).FpMethods)
	return function[closeFunc](r.methods.FxClose)(tls, file)
}

func writeFile(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	r := of(file)
	rc := function[writeFunc](r.methods.FxWrite)(tls, file, data, n, offset)
	if rc == sqlite3.SQLITE_OK {
		r.note(op{r.name, write, offset, append([]byte{}, unsafe.Slice(at[byte](data), n)...)})
	}
	return rc
}

func resizeFile(tls *libc.TLS, file uintptr, size int64) int32 {
	r := of(file)
	rc := function[sizeFunc](r.methods.FxTruncate)(tls, file, size)
	if rc == sqlite3.SQLITE_OK {
		r.note(op{r.name, resize, size, nil})
	}
	return rc
}

func syncFile(tls *libc.TLS, file uintptr, flags int32) int32 {
	r := of(file)
	began := r.Now()
	rc := function[syncFunc](r.methods.FxSync)(tls, file, flags)
	if rc == sqlite3.SQLITE_OK {
		r.note(op{r.name, synced, int64(began), nil})
	}
	return rc
}
