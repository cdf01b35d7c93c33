package backup

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// made returns a backup of a small database, and that database.
func made(t *testing.T) (packed, database []byte, h Header) {
	t.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		database = append(database, byte(dice.IntN(40)))
	}
	h = Header{Format: 1, Sett: "1.2.3", Schema: 27, At: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Bytes: int64(len(database))}
	var out bytes.Buffer
	if err := Write(&out, h, bytes.NewReader(database)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), database, h
}

func read(packed []byte) (h Header, database []byte, err error) {
	b, err := Open(bytes.NewReader(packed))
	if err != nil {
		return h, nil, err
	}
	defer b.Close()
	var out bytes.Buffer
	err = b.Database(&out)
	return b.Header, out.Bytes(), err
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	packed, database, want := made(t)
	h, got, err := read(packed)
	if diff := cmp.Diff(want, h); diff != "" || err != nil || !bytes.Equal(got, database) {
		t.Errorf("%v, header (-want +got):\n%s", err, diff)
	}
}

// A database that is shorter than it was said to be is no backup.
func TestDatabaseThatShrinksIsRefused(t *testing.T) {
	t.Parallel()
	if err := Write(&bytes.Buffer{}, Header{Bytes: 10}, strings.NewReader("short")); err == nil {
		t.Error("a database with an end missing was taken")
	}
}

func TestEveryCutIsFound(t *testing.T) {
	t.Parallel()
	packed, _, _ := made(t)
	for n := range len(packed) {
		if _, _, err := read(packed[:n]); sett.CodeOf(err) != sett.Invalid {
			t.Fatalf("cut off after %d of %d bytes: %v", n, len(packed), err)
		}
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	packed, database, want := made(t)
	for bit := range 8 * len(packed) {
		flipped := bytes.Clone(packed)
		flipped[bit/8] ^= 1 << (bit % 8)
		h, got, err := read(flipped)
		if err == nil && cmp.Equal(h, want) && bytes.Equal(got, database) {
			continue // it was in bytes that are not read
		}
		if sett.CodeOf(err) != sett.Invalid {
			t.Fatalf("bit %d of %d: %v", bit, 8*len(packed), err)
		}
	}
}

func TestWhatFollowsIsFound(t *testing.T) {
	t.Parallel()
	packed, _, _ := made(t)
	if _, _, err := read(append(bytes.Clone(packed), packed...)); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("two backups one after the other: %v", err)
	}
	if _, _, err := read(append(bytes.Clone(packed), "more"...)); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("with some bytes behind it: %v", err)
	}
}

func TestWhatIsNoBackup(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "SQLite format 3\x00", strings.Repeat("{}", 1000)} {
		if _, _, err := read([]byte(text)); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "not a sett backup") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// A disk that is full is no damage of the backup.
func TestErrorsOfTheDiskStayThose(t *testing.T) {
	t.Parallel()
	packed, _, _ := made(t)
	b, err := Open(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Database(full{}); !errors.Is(err, errFull) || sett.CodeOf(err) != "" {
		t.Errorf("the error is %v", err)
	}
}

var errFull = errors.New("no room")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
