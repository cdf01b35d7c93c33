package agent

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sett/internal/prober"
)

// What the spool holds at most.
const (
	mostBytes = 64 << 20
	mostAge   = 24 * time.Hour
)

// spool keeps batches of reports as files until the server has them. It is safe for concurrent use.
type spool struct {
	dir    string
	stream string // of this run
	now    func() time.Time
	room   int64 // bytes

	mu       sync.Mutex
	sequence int64   // of the last batch of this run
	batches  []batch // the oldest first
	bytes    int64   // of all
	dropped  int64   // reports, since this run began
	more     chan struct{}
}

// batch is a file of the spool.
type batch struct {
	name    string // <stream>-<sequence>.json: names sort as they were made
	bytes   int64
	reports int
	at      time.Time
}

// openSpool opens the spool in a directory with what an earlier run has left there.
func openSpool(dir string, now func() time.Time) (*spool, error) {
	s := &spool{dir: dir, stream: newStream(now()), now: now, room: mostBytes, more: make(chan struct{}, 1)}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".new") { // a run was killed while it wrote this
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		s.add(batch{name: e.Name(), bytes: info.Size(), reports: -1, at: info.ModTime()})
	}
	return s, nil
}

// newStream names a run. Names of later runs are greater, by this machine's clock.
func newStream(now time.Time) string {
	var random [4]byte
	rand.Read(random[:])
	return fmt.Sprintf("%016x", now.UnixMicro()) + hex.EncodeToString(random[:])
}

func (s *spool) add(b batch) {
	s.batches = append(s.batches, b)
	s.bytes += b.bytes
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// put writes a batch. When there is no room for it, the oldest ones go; reports are counted that are lost.
func (s *spool) put(reports []prober.Report) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sequence++
	name := fmt.Sprintf("%s-%012d.json", s.stream, s.sequence)
	text, err := json.Marshal(reports)
	if err == nil {
		s.makeRoom(int64(len(text)))
		err = writeFile(filepath.Join(s.dir, name), text)
	}
	if err != nil {
		s.dropped += int64(len(reports))
		return fmt.Errorf("write to the spool: %w", err)
	}
	s.add(batch{name, int64(len(text)), len(reports), s.now()})
	return nil
}

// writeFile writes a file that is there whole or not at all, even if the process is killed.
func writeFile(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	return os.Rename(path+".new", path)
}

// makeRoom drops the oldest batches until there is room for so many bytes and none is too old.
func (s *spool) makeRoom(bytes int64) {
	oldest := s.now().Add(-mostAge)
	for len(s.batches) > 0 && (s.bytes+bytes > s.room || s.batches[0].at.Before(oldest)) {
		b := s.batches[0]
		s.dropped += int64(s.count(b))
		s.forget(b)
	}
}

// count returns how many reports a batch has.
func (s *spool) count(b batch) int {
	if b.reports >= 0 {
		return b.reports
	}
	reports, err := s.read(b)
	if err != nil {
		return 0
	}
	return len(reports)
}

func (s *spool) read(b batch) (reports []prober.Report, err error) {
	text, err := os.ReadFile(filepath.Join(s.dir, b.name))
	if err != nil {
		return nil, err
	}
	return reports, json.Unmarshal(text, &reports)
}

func (s *spool) forget(b batch) {
	i := slices.IndexFunc(s.batches, func(other batch) bool { return other.name == b.name })
	if i < 0 {
		return // it was dropped while it was sent
	}
	s.batches = slices.Delete(s.batches, i, i+1)
	s.bytes -= b.bytes
	_ = os.Remove(filepath.Join(s.dir, b.name)) // what stays is sent again, and counts once
}

// oldest returns the batch to send next; ok is false when there is none. A file that cannot be read is set aside.
func (s *spool) oldest() (b batch, u prober.Upload, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.batches) > 0 {
		b = s.batches[0]
		stream, sequence, named := parseName(b.name)
		reports, err := s.read(b)
		if named && err == nil {
			return b, prober.Upload{Protocol: prober.Protocol, Stream: stream, Sequence: sequence, Dropped: s.dropped, Reports: reports}, true
		}
		s.hide(b)
	}
	return batch{}, prober.Upload{}, false
}

// setAside keeps a batch out of the way that the server will never take, under another name.
func (s *spool) setAside(b batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide(b)
}

func (s *spool) hide(b batch) {
	_ = os.Rename(filepath.Join(s.dir, b.name), filepath.Join(s.dir, b.name+".bad"))
	s.forget(b)
}

func parseName(name string) (stream string, sequence int64, ok bool) {
	stream, number, _ := strings.Cut(strings.TrimSuffix(name, ".json"), "-")
	sequence, err := strconv.ParseInt(number, 10, 64)
	return stream, sequence, err == nil
}

// sent says that the server has a batch.
func (s *spool) sent(b batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(b)
}

// waiting returns how many batches the server does not have yet.
func (s *spool) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}
