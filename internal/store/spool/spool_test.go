package spool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"sett/internal/sett"
)

func open(t *testing.T, dir string, most int64) *Spool {
	t.Helper()
	s, err := Open(t.Context(), dir, most)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func add(t *testing.T, s *Spool, at time.Time, bodies ...string) {
	t.Helper()
	var entries []Entry
	for _, body := range bodies {
		entries = append(entries, Entry{Kind: Notice, At: at, Body: []byte(body)})
	}
	if err := s.Add(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
}

func bodiesOf(t *testing.T, s *Spool, n int) (bodies []string) {
	t.Helper()
	first, err := s.First(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range first {
		bodies = append(bodies, string(e.Body))
	}
	return bodies
}

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// TestOrder checks that entries come out as they went in, also by a process that comes later, until they are dropped.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	add(t, s, noon, "a", "b")
	add(t, s, noon.Add(time.Second), "c")
	s.Close()

	s = open(t, dir, 1<<20)
	if got := fmt.Sprint(bodiesOf(t, s, 2)); got != "[a b]" {
		t.Errorf("first two: %s", got)
	}
	if got := s.Size(); got.Entries != 3 || !got.Oldest.Equal(noon) {
		t.Errorf("size: %+v", got)
	}
	first, err := s.First(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if got := s.Size(); got.Entries != 1 || !got.Oldest.Equal(noon.Add(time.Second)) {
		t.Errorf("size after two were dropped: %+v", got)
	}
	add(t, s, noon, "d")
	if got := fmt.Sprint(bodiesOf(t, s, 10)); got != "[c d]" {
		t.Errorf("left: %s", got)
	}
	if first, err = s.First(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(t.Context(), first); err != nil || s.Size() != (Size{}) {
		t.Errorf("emptied: %+v, %v", s.Size(), err)
	}
}

// TestPingsComeFirst checks that pings do not wait for what came before, and that only they are dropped.
func TestPingsComeFirst(t *testing.T) {
	s := open(t, t.TempDir(), 1<<20)
	add(t, s, noon, "a", "b")
	for _, e := range []Entry{{Kind: Ping, At: noon, Body: []byte("p")}, {Kind: Deploy, At: noon, Body: []byte("c")}, {Kind: Ping, At: noon, Body: []byte("q")}} {
		if err := s.Add(t.Context(), []Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"[p]", "[q]", "[a b]", "[c]", "[]"} {
		first, err := s.First(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		for len(first) > 1 && first[0].Kind != first[len(first)-1].Kind || want == "[p]" && len(first) > 1 {
			first = first[:len(first)-1]
		}
		var bodies []string
		for _, e := range first {
			bodies = append(bodies, string(e.Body))
		}
		if got := fmt.Sprint(bodies); got != want {
			t.Errorf("first are %s, want %s", got, want)
		}
		if err := s.Drop(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRoom checks that a spool takes what it has room for and no more, and gives room back to the disk.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	large := Entry{Kind: Notice, At: noon, Body: bytes.Repeat([]byte("x"), 300<<10)}
	for range 3 {
		if err := s.Add(t.Context(), []Entry{large}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Add(t.Context(), []Entry{large})
	if e, ok := errors.AsType[*sett.Error](err); !ok || e.Code != sett.Unavailable || e.RetryAfter <= 0 {
		t.Errorf("a fourth entry: %v", err)
	}
	if n := len(bodiesOf(t, s, 10)); n != 3 || s.Size().Entries != 3 || !s.Full() {
		t.Errorf("%d entries, %+v, full: %t", n, s.Size(), s.Full())
	}
	first, err := s.First(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if found, holds := Look(dir); !found || !holds {
		t.Errorf("a full spool is found: %t, holds: %t", found, holds)
	}
	if err := s.Drop(t.Context(), first); err != nil || s.Full() {
		t.Fatalf("emptied: %v, full: %t", err, s.Full())
	}
	if found, holds := Look(dir); !found || holds {
		t.Errorf("an empty spool is found: %t, holds: %t", found, holds)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil || info.Size() > 64<<10 {
		t.Errorf("an empty spool takes %d bytes, %v", info.Size(), err)
	}
}

// TestDiskThatIsFull checks that a spool whose file cannot be written says that it is full, until it can be.
func TestDiskThatIsFull(t *testing.T) {
	s := open(t, t.TempDir(), 1<<20)
	add(t, s, noon, "a")
	readOnly := func(on string) { // makes every write fail, as a full disk does
		t.Helper()
		if _, err := s.db.ExecContext(t.Context(), "PRAGMA query_only = "+on); err != nil {
			t.Fatal(err)
		}
	}
	readOnly("on")
	more := []Entry{{Kind: Notice, At: noon, Body: []byte("b")}}
	if err := s.Add(t.Context(), more); sett.CodeOf(err) != sett.Unavailable || !s.Full() || s.Size().Entries != 1 {
		t.Fatalf("no room: %v, full: %t, %+v", err, s.Full(), s.Size())
	}
	if err := s.Try(t.Context()); err == nil || !s.Full() {
		t.Errorf("still no room: %v, full: %t", err, s.Full())
	}
	readOnly("off")
	if err := s.Try(t.Context()); err != nil || s.Full() {
		t.Errorf("room again: %v, full: %t", err, s.Full())
	}
	if add(t, s, noon, "b"); s.Size().Entries != 2 {
		t.Errorf("%+v, want two entries", s.Size())
	}
}

// TestStartOnAFullDisk checks that a process that starts while the disk is full takes what an earlier one has left, once there is room.
func TestStartOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("this user or machine mounts no file systems: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%s", out)
		}
	})
	s := open(t, dir, 1<<20)
	add(t, s, noon, "a", "b")
	s.Close()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	s = open(t, dir, 1<<20)
	if err := s.Add(t.Context(), []Entry{{Kind: Notice, At: noon, Body: []byte("c")}}); sett.CodeOf(err) != sett.Unavailable || !s.Full() {
		t.Errorf("no room: %v, full: %t", err, s.Full())
	}
	if err := s.Try(t.Context()); err == nil || !s.Full() {
		t.Errorf("still no room: %v, full: %t", err, s.Full())
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := s.Try(t.Context()); err != nil || s.Full() || s.Size().Entries != 2 {
		t.Errorf("room again: %v, full: %t, %+v", err, s.Full(), s.Size())
	}
	add(t, s, noon, "c")
	if got := fmt.Sprint(bodiesOf(t, s, 10)); got != "[a b c]" {
		t.Errorf("held: %s", got)
	}
	s.Close()
}

// TestOneProcess checks that a second opener is refused while the first has the file.
func TestOneProcess(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, 1<<20)
	if _, err := Open(t.Context(), dir, 1<<20); !errors.Is(err, ErrInUse) {
		t.Errorf("a second opener: %v", err)
	}
}
