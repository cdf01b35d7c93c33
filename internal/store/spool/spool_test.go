package spool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// smallDisk mounts a file system of so many megabytes, until the test ends.
func smallDisk(t *testing.T, megabytes int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", megabytes), "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("this user or machine mounts no file systems: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%s", out)
		}
	})
	return dir
}

// fill adds entries of a size until the disk is full, every fourth of them a ping, and returns them in the order in which they come out.
func fill(t *testing.T, s *Spool, bytes int) (bodies []string) {
	t.Helper()
	var pings []string
	for i := range 1 << 20 {
		body := fmt.Sprintf("%0*d", bytes, i)
		kind := Notice
		if i%4 == 0 {
			kind = Ping
		}
		switch err := s.Add(t.Context(), []Entry{{Kind: kind, At: noon.Add(time.Duration(i) * time.Second), Body: []byte(body)}}); {
		case err != nil && sett.CodeOf(err) != sett.Unavailable:
			t.Fatal(err)
		case err != nil:
			return append(pings, bodies...)
		case kind == Ping:
			pings = append(pings, body)
		default:
			bodies = append(bodies, body)
		}
	}
	t.Fatal("the disk was never full")
	return nil
}

// pass takes up to so many entries out, a few at a time.
func pass(t *testing.T, s *Spool, most int) (bodies []string) {
	t.Helper()
	for len(bodies) < most {
		first, err := s.First(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(first) == 0 {
			return bodies
		}
		for _, e := range first {
			bodies = append(bodies, string(e.Body))
		}
		if err := s.Drop(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	return bodies
}

// TestSpoolThatFilledTheDisk checks that a spool which has taken all room of the disk is emptied without more, in the order of its entries, also by
// a process that starts then, and that it takes more afterwards. It keeps what it knows of API keys.
func TestSpoolThatFilledTheDisk(t *testing.T) {
	for name, entry := range map[string]int{"small": 1000, "large": 30_000} {
		t.Run(name, func(t *testing.T) {
			dir := smallDisk(t, 6) // more than one log of SQLite
			s := open(t, dir, 1<<30)
			if err := s.SaveKeys(t.Context(), []byte("keys")); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				held := fill(t, s, entry)
				half := pass(t, s, len(held)/2)
				if left := s.Size(); left.Entries != int64(len(held)-len(half)) {
					t.Errorf("%d of %d entries are dropped, and the size is %+v", len(half), len(held), left)
				}
				if diff := cmp.Diff(held, append(half, pass(t, s, len(held))...)); diff != "" {
					t.Errorf("passed on (-held +passed):\n%s", diff)
				}
				if err := s.Try(t.Context()); err != nil || s.Full() || s.Size() != (Size{}) {
					t.Fatalf("emptied: %v, full: %t, %+v", err, s.Full(), s.Size())
				}
				if _, holds := Look(dir); holds {
					t.Error("an empty spool takes room")
				}
			}
			held := fill(t, s, entry)
			pass(t, s, 20)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, 1<<30)
			if s.Full() || s.Size().Entries < int64(len(held)-28) {
				t.Errorf("after a start: full: %t, %+v of %d", s.Full(), s.Size(), len(held))
			}
			if passed := pass(t, s, len(held)); len(passed) < len(held)-28 || s.Size() != (Size{}) {
				t.Errorf("after a start, %d of %d are passed on, and %+v is left", len(passed), len(held), s.Size())
			}
			add(t, s, noon, strings.Repeat("x", 1<<20))
			if keys, err := s.Keys(t.Context()); string(keys) != "keys" || err != nil {
				t.Errorf("the keys are %q, %v", keys, err)
			}
			s.Close()
		})
	}
}

// TestRoomReturnsWhilePassingOn checks that entries which could only be passed over are deleted once there is room.
func TestRoomReturnsWhilePassingOn(t *testing.T) {
	dir := smallDisk(t, 12)
	reserve := filepath.Join(dir, "reserve")
	if err := os.WriteFile(reserve, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, 1<<30)
	held := fill(t, s, 3000)
	pass(t, s, len(held)/4)
	if !s.Full() {
		t.Fatal("the disk has room")
	}
	if err := os.Remove(reserve); err != nil {
		t.Fatal(err)
	}
	pass(t, s, len(held)/2)
	var rows int64
	if err := s.db.QueryRowContext(t.Context(), `SELECT count(*) FROM entries`).Scan(&rows); err != nil || rows != s.Size().Entries {
		t.Errorf("%d rows are left for %d entries, %v", rows, s.Size().Entries, err)
	}
	s.Close()
}

// TestStartOnAFullDisk checks that a process that starts while the disk is full has what an earlier one has left, and takes more once there is room.
func TestStartOnAFullDisk(t *testing.T) {
	dir := smallDisk(t, 1)
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
	if got := fmt.Sprint(bodiesOf(t, s, 10)); got != "[a b]" {
		t.Errorf("held: %s", got)
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
