package event

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"sett/internal/ingest/repair"
	"sett/internal/sett"
	"sett/internal/setttest/recording"
)

func readStream(body io.Reader, encoding string, most int64) ([]byte, error) {
	s, err := NewStream(body, encoding, most, new(repair.Notes))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return io.ReadAll(s)
}

func TestStreams(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat(`{"a":"b"}`+"\n", 10_000))
	for _, encoding := range []string{"identity", "gzip", "deflate", "raw deflate", "br", "zstd"} {
		header := strings.TrimPrefix(encoding, "raw ")
		body := recording.Compressed(t, encoding, text)
		got, err := readStream(iotest.HalfReader(bytes.NewReader(body)), header, 1<<20)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes, %v", encoding, len(got), err)
		}
		if _, err := readStream(bytes.NewReader(body), header, int64(len(text)-1)); sett.CodeOf(err) != sett.TooLarge {
			t.Errorf("%s: beyond its bound: %v", encoding, err)
		}
		if encoding == "identity" {
			continue
		}
		if _, err := readStream(bytes.NewReader(recording.Compressed(t, encoding, text[1:])[:len(body)/2]), header, 1<<20); sett.CodeOf(err) != sett.Malformed {
			t.Errorf("%s: half of what is no JSON: %v", encoding, err)
		}
		bomb := recording.Compressed(t, encoding, make([]byte, 32<<20))
		if out, err := readStream(bytes.NewReader(bomb), header, 1<<20); sett.CodeOf(err) != sett.TooLarge || len(out) > 1<<20 {
			t.Errorf("%s: a bomb gives %d bytes, %v", encoding, len(out), err)
		}
	}
	for encoding, code := range map[string]sett.Code{"gzip": sett.Malformed, "deflate": sett.Malformed, "br": sett.Malformed, "zstd": sett.Malformed, "compress": sett.Invalid} {
		if _, err := readStream(strings.NewReader("\xffhello\xff\xff\xff"), encoding, 100); sett.CodeOf(err) != code {
			t.Errorf("%s: no such data: %v", encoding, err)
		}
	}
	lost := sett.Errorf(sett.TooSlow, "slow")
	for _, encoding := range []string{"", "gzip"} {
		if _, err := readStream(iotest.ErrReader(lost), encoding, 100); sett.CodeOf(err) != sett.TooSlow {
			t.Errorf("%s: an error of the body: %v", encoding, err)
		}
	}
}

// What came before the end of a body that was cut off is kept, unless the body itself could not be read.
func TestStreamsThatAreCutOff(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&text, "{\"a\":%d}\n", i*i)
	}
	for _, encoding := range []string{"gzip", "deflate", "raw deflate", "br", "zstd"} {
		header := strings.TrimPrefix(encoding, "raw ")
		body := recording.Compressed(t, encoding, text.Bytes())
		var notes repair.Notes
		read := func(body io.Reader) ([]byte, error) {
			s, err := NewStream(body, header, 1<<20, &notes)
			if err != nil {
				return nil, err
			}
			defer s.Close()
			return io.ReadAll(s)
		}
		got, err := read(bytes.NewReader(body[:len(body)-10]))
		if err != nil || len(got) == 0 || !bytes.HasPrefix(text.Bytes(), got) || !slices.Contains(notes, repair.CutCompressed) {
			t.Errorf("%s: %d of %d bytes, %v, notes %q", encoding, len(got), text.Len(), err, notes)
		}
		if _, err := read(io.MultiReader(bytes.NewReader(body[:len(body)-10]), iotest.ErrReader(errors.New("the disk")))); err == nil {
			t.Errorf("%s: what could not be read counts as cut off", encoding)
		}
	}
	var notes repair.Notes
	s, err := NewStream(bytes.NewReader(recording.Compressed(t, "zstd", text.Bytes())), "gzip", 1<<20, &notes)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, text.Bytes()) || !slices.Contains(notes, repair.NotCompressed) {
		t.Errorf("zstd that is said to be gzip: %d bytes, %v, notes %q", len(got), err, notes)
	}
}
