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

	"sett/internal/monitor/prober"
)

// What the spool holds at most.
const (
	mostBytes = 64 << 20
	mostHeld  = 4 << 20 // of them in memory, while the directory cannot be written to
	mostAge   = 24 * time.Hour
)

// spool keeps batches of reports as files until the server has them. It is safe for concurrent use.
type spool struct {
	dir      string
	location string // of this run; batches of another are left alone
	stream   string // of this run
	now      func() time.Time
	room     int64          // bytes
	foreign  map[string]int // batches by location that are left alone

	mu       sync.Mutex
	sequence int64   // of the last batch of this run
	batches  []batch // the oldest first
	bytes    int64   // of all
	held     int64   // of those that are in memory
	dropped  int64   // reports, since this run began
	more     chan struct{}
}

// batch is a file of the spool.
type batch struct {
	name    string // <stream>-<sequence>-<location>.json: names sort as they were made
	held    []byte // what would be in the file, where it could not be written
	bytes   int64
	reports int
	at      time.Time
}

// openSpool opens the spool in a directory with what an earlier run has left there.
func openSpool(dir, location string, now func() time.Time) (*spool, error) {
	s := &spool{
		dir: dir, location: location, stream: newStream(now()), now: now, room: mostBytes, foreign: map[string]int{}, more: make(chan struct{}, 1),
	}
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
		s.find(batch{name: e.Name(), bytes: info.Size(), reports: -1, at: info.ModTime()})
	}
	return s, nil
}

// find adds what an earlier run has left. What was found from elsewhere goes with age, or when an agent there has sent it.
func (s *spool) find(b batch) {
	_, _, location, named := parseName(b.name)
	switch {
	case !named || location == s.location:
		s.add(b)
	case b.at.Before(s.now().Add(-mostAge)):
		_ = os.Remove(filepath.Join(s.dir, b.name))
	default:
		s.foreign[location]++
	}
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
	s.held += int64(len(b.held))
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// put writes a batch. If there is no room for it, the oldest batches are deleted; lost reports are counted. With an error,
// the batch was not written, and reports that do not fit into memory are lost.
func (s *spool) put(reports []prober.Report) (lost int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := json.Marshal(reports)
	if err != nil {
		return s.lose(len(reports)), fmt.Errorf("write to the spool: %w", err)
	}
	s.makeRoom(int64(len(text)))
	s.sequence++
	b := batch{
		name:  fmt.Sprintf("%s-%012d-%s.json", s.stream, s.sequence, s.location),
		bytes: int64(len(text)), reports: len(reports), at: s.now(),
	}
	if err = writeFile(filepath.Join(s.dir, b.name), text); err != nil {
		err = fmt.Errorf("write to the spool: %w", err)
		b.held = text
	}
	if s.held+int64(len(b.held)) > mostHeld {
		return s.lose(len(reports)), err
	}
	s.add(b)
	return 0, err
}

func (s *spool) lose(reports int) (lost int) {
	s.dropped += int64(reports)
	return reports
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
		s.lose(s.count(b))
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
	text := b.held
	if text == nil {
		if text, err = os.ReadFile(filepath.Join(s.dir, b.name)); err != nil {
			return nil, err
		}
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
	s.held -= int64(len(b.held))
	_ = os.Remove(filepath.Join(s.dir, b.name)) // what stays is sent again, and counts once
}

// oldest returns the batch to send next; ok is false if there is none. An unreadable file is set aside.
func (s *spool) oldest() (b batch, u prober.Upload, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.batches) > 0 {
		b = s.batches[0]
		stream, sequence, location, named := parseName(b.name)
		reports, err := s.read(b)
		if named && err == nil {
			return b, prober.Upload{
				Protocol: prober.Protocol, Location: location, Stream: stream, Sequence: sequence, Dropped: s.dropped, Reports: reports,
			}, true
		}
		s.hide(b)
	}
	return batch{}, prober.Upload{}, false
}

// drop gives up a batch that the server will never take, and returns how many reports are lost.
func (s *spool) drop(b batch) (lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost = s.lose(s.count(b))
	s.forget(b)
	return lost
}

// hide keeps a file that cannot be read out of the way, under another name.
func (s *spool) hide(b batch) {
	_ = os.Rename(filepath.Join(s.dir, b.name), filepath.Join(s.dir, b.name+".bad"))
	s.forget(b)
}

func parseName(name string) (stream string, sequence int64, location string, ok bool) {
	stream, rest, _ := strings.Cut(strings.TrimSuffix(name, ".json"), "-")
	number, location, _ := strings.Cut(rest, "-")
	sequence, err := strconv.ParseInt(number, 10, 64)
	return stream, sequence, location, err == nil && location != ""
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
