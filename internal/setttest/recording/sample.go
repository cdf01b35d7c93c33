package recording

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// Clients returns the names of all whose requests are recorded, for Captures.
func Clients(t testing.TB) (names []string) {
	t.Helper()
	entries, err := captures.ReadDir("captures")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, path.Base(entry.Name()))
	}
	return names
}

// Plain returns the body without its compression.
func (c Capture) Plain(t testing.TB) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(c.Body)
	var err error
	switch c.Header.Get("Content-Encoding") {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "deflate":
		r, err = zlib.NewReader(r)
	case "br":
		r = brotli.NewReader(r)
	}
	var plain []byte
	if err == nil {
		plain, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return plain
}

// lengthIn is the length of the payload in the header of an item of an envelope.
var lengthIn = regexp.MustCompile(`"length":\d+,|,?"length":\d+`)

// Mutated returns a body with a random change: cut off, with another value in a line that is JSON, or, if none is, with other bytes. What
// was as long as its header says may be of another length then.
func Mutated(body []byte, random *rand.Rand) []byte {
	lines := bytes.Split(body, []byte("\n"))
	var documents []int
	for i, line := range lines {
		if json.Valid(line) {
			documents = append(documents, i)
		}
	}
	switch {
	case len(body) == 0:
		return body
	case random.IntN(4) == 0:
		return body[:random.IntN(len(body))]
	case len(documents) == 0:
		other := bytes.Clone(body)
		for range 1 + random.IntN(3) {
			other[random.IntN(len(other))] ^= byte(1 + random.IntN(255))
		}
		return other
	}
	if random.IntN(4) > 0 {
		for _, i := range documents {
			lines[i] = lengthIn.ReplaceAll(lines[i], nil)
		}
	}
	at := documents[random.IntN(len(documents))]
	lines[at] = swapOne(lines[at], random)
	return bytes.Join(lines, []byte("\n"))
}

// swapOne returns a JSON document with a random one of its values replaced.
func swapOne(doc []byte, random *rand.Rand) []byte {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var root any
	if d.Decode(&root) != nil {
		return doc
	}
	left := random.IntN(countValues(root))
	text, err := json.Marshal(replaceValue(root, &left, anySwap(random)))
	if err != nil {
		return doc
	}
	return text
}

// anySwap returns what stands in place of a value: one of the usual ones, or a value that is nested deeply.
func anySwap(random *rand.Rand) any {
	if random.IntN(12) == 0 {
		open := strings.Repeat(`{"a":[`, 1+random.IntN(60))
		return json.RawMessage(open + strings.Repeat("]}", strings.Count(open, "{")))
	}
	return swaps[random.IntN(len(swaps))]
}

func countValues(v any) (n int) {
	n = 1
	switch v := v.(type) {
	case map[string]any:
		for _, part := range v {
			n += countValues(part)
		}
	case []any:
		for _, part := range v {
			n += countValues(part)
		}
	}
	return n
}

// replaceValue returns v with the value replaced that comes after left others.
func replaceValue(v any, left *int, swap any) any {
	if *left--; *left < 0 {
		*left = 1 << 30
		return swap
	}
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			v[key] = replaceValue(v[key], left, swap)
		}
	case []any:
		for i := range v {
			v[i] = replaceValue(v[i], left, swap)
		}
	}
	return v
}
