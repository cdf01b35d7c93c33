package objects

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// Storage is what a Cache reads from: a Client.
type Storage interface {
	Get(ctx context.Context, key string, from, length int64) ([]byte, error)
	Put(ctx context.Context, key string, body []byte) error
	Delete(ctx context.Context, key string) error
}

// Cache keeps parts of objects in files of a directory, the ones that were read last, up to a number of bytes. Nothing changes an object, so what it keeps is
// right as long as the file is whole: each ends with a checksum. A directory that cannot be written is no error: then everything is read from
// object storage. It is safe for concurrent use.
type Cache struct {
	Storage
	dir  string
	most int64

	mu    sync.Mutex
	files map[string]*list.Element // by name
	order *list.List               // of *kept, the one that was read last at the front
	bytes int64
	calls map[string]*call // what is being read, by name

	hits, misses atomic.Int64
}

// kept is a file of the cache.
type kept struct {
	name  string
	bytes int64
}

// call is a call of Get that others wait for.
type call struct {
	done chan struct{}
	body []byte
	err  error
}

// NewCache returns a cache in a directory, with what an earlier process left there. Files that are not its own are not touched.
func NewCache(s Storage, dir string, most int64) *Cache {
	c := &Cache{Storage: s, dir: dir, most: most, files: map[string]*list.Element{}, order: list.New(), calls: map[string]*call{}}
	if most > 0 {
		c.load()
	}
	return c
}

// ending is the end of the names of files that are whole.
const ending = ".part"

// load finds the files of an earlier process, in the order in which they were written, and removes those that it did not complete.
func (c *Cache) load() {
	if os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	entries, _ := os.ReadDir(c.dir) // none: it is empty, or cannot be read
	var infos []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case filepath.Ext(e.Name()) == ending:
			infos = append(infos, info)
		case filepath.Ext(e.Name()) == unfinished:
			_ = os.Remove(filepath.Join(c.dir, e.Name()))
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range infos {
		c.add(info.Name(), info.Size())
	}
}

// add notes a file, and removes those that there is no room for. The caller holds the lock, or is the only one.
func (c *Cache) add(name string, bytes int64) {
	if at := c.files[name]; at != nil {
		c.bytes -= at.Value.(*kept).bytes
		c.order.Remove(at)
	}
	c.files[name] = c.order.PushFront(&kept{name, bytes})
	for c.bytes += bytes; c.bytes > c.most; {
		c.remove(c.order.Back().Value.(*kept).name)
	}
}

func (c *Cache) remove(name string) {
	at := c.files[name]
	if at == nil {
		return
	}
	c.bytes -= at.Value.(*kept).bytes
	c.order.Remove(at)
	delete(c.files, name)
	_ = os.Remove(filepath.Join(c.dir, name))
}

// nameOf returns the name of the file with a part of an object.
func nameOf(key string, from, length int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", key, from, length))
	return hex.EncodeToString(sum[:16]) + ending
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const checksumBytes = 4

// Kept returns a part of an object that is in the cache.
func (c *Cache) Kept(key string, from, length int64) (body []byte, ok bool) {
	name := nameOf(key, from, length)
	c.mu.Lock()
	at := c.files[name]
	if at != nil {
		c.order.MoveToFront(at)
	}
	c.mu.Unlock()
	if at == nil {
		return nil, false
	}
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	body = text[:max(0, len(text)-checksumBytes)]
	if err != nil || int64(len(body)) != length || binary.LittleEndian.Uint32(text[len(body):]) != crc32.Checksum(body, castagnoli) {
		c.mu.Lock()
		c.remove(name)
		c.mu.Unlock()
		return nil, false
	}
	c.hits.Add(1)
	return body, true
}

// Get returns a part of an object, from the cache or from object storage. Callers that want the same part at the same time share one call, which goes on
// if one of them stops waiting.
func (c *Cache) Get(ctx context.Context, key string, from, length int64) ([]byte, error) {
	if body, ok := c.Kept(key, from, length); ok {
		return body, nil
	}
	name := nameOf(key, from, length)
	c.mu.Lock()
	running := c.calls[name]
	if running == nil {
		running = &call{done: make(chan struct{})}
		c.calls[name] = running
		c.misses.Add(1)
		go c.run(context.WithoutCancel(ctx), running, name, key, from, length)
	}
	c.mu.Unlock()
	select {
	case <-running.done:
		return running.body, running.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Cache) run(ctx context.Context, running *call, name, key string, from, length int64) {
	running.body, running.err = c.Storage.Get(ctx, key, from, length)
	if running.err == nil {
		c.keep(name, running.body)
	}
	c.mu.Lock()
	delete(c.calls, name)
	c.mu.Unlock()
	close(running.done)
}

// unfinished is the end of the names of files that are being written.
const unfinished = ".new"

// keep writes a part to the cache, if there is room.
func (c *Cache) keep(name string, body []byte) {
	if int64(len(body)) > c.most/2 {
		return
	}
	text := binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.Checksum(body, castagnoli))
	scratch, file := filepath.Join(c.dir, name+unfinished), filepath.Join(c.dir, name)
	if err := errors.Join(os.WriteFile(scratch, text, 0o600), os.Rename(scratch, file)); err != nil {
		_ = os.Remove(scratch)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(name, int64(len(text)))
}

// CacheState says what a cache holds, and how often it had what was asked for.
type CacheState struct {
	Bytes, Most, Files, Hits, Misses int64
}

// State returns the state of the cache.
func (c *Cache) State() CacheState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CacheState{c.bytes, c.most, int64(len(c.files)), c.hits.Load(), c.misses.Load()}
}
