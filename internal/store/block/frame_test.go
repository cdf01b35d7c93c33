package block_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"sett/internal/store/block"
)

func drawPayload(t *rapid.T) []byte {
	word := rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,12}`),
		rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}`),
		rapid.StringMatching(`[0-9A-Za-z_-]{14,20}`),
		rapid.StringMatching("[\x00-\x05\n\"{}:,]{0,4}"),
		rapid.String(),
	)
	return []byte(strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "payload"), rapid.SampledFrom([]string{"", " ", "\n", "\x00"}).Draw(t, "between")))
}

// What is in a frame is read as it was, whatever bytes it has.
func TestFramesKeepPayloads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payloads := rapid.SliceOfN(rapid.Custom(drawPayload), 1, 128).Draw(t, "payloads")
		got, err := block.OpenFrame(block.PackFrame(payloads))
		if diff := cmp.Diff(payloads, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v, read (-want +got):\n%s", err, diff)
		}
	})
}

// A damaged frame is an error, or payloads without some: never a panic, and never what was not in it.
func TestDamagedFrames(t *testing.T) {
	t.Parallel()
	whole := [][]byte{[]byte(`{"id":1234567,"token":"0123456789abcdef"}`), []byte(`{"id":7654321,"token":"fedcba9876543210"}`)}
	frame := block.PackFrame(whole)
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(string(frame))
		switch at := rapid.IntRange(0, len(b)-1).Draw(t, "at"); rapid.SampledFrom([]string{"cut", "change"}).Draw(t, "damage") {
		case "cut":
			b = b[:at]
		case "change":
			b[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		}
		got, err := block.OpenFrame(b)
		for i, payload := range got {
			if err == nil && payload != nil && (i >= len(whole) || string(payload) != string(whole[i])) {
				t.Fatalf("a damaged frame has %q", payload)
			}
		}
	})
}

// The file was written by the version before streams.
func TestFramesOfEarlierVersionsAreRead(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/frame-of-version-1")
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	for i := range 5 {
		want = append(want, fmt.Appendf(nil, "\x00\x01{\"id\":%d,\"token\":\"%032x\"}\n", i*1000003, i*7777777))
	}
	got, err := block.OpenFrame(b)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v, read (-want +got):\n%s", err, diff)
	}
}

// Random words take little more than their bits: those of a payload here have 36 bytes.
func TestFramesAreSmall(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var payloads [][]byte
	together := []byte(nil)
	for range 128 {
		token := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, r.Uint64()), r.Uint64())
		p := fmt.Appendf(nil, `{"order_id":%010d,"request":"%016x%016x","session":{"visitor":"%s"},"plan":"business"}`,
			r.Int64N(1e10), r.Uint64(), r.Uint64(), base64.RawURLEncoding.EncodeToString(token))
		payloads, together = append(payloads, p), append(together, p...)
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	got, before := len(block.PackFrame(payloads))/128, len(e.EncodeAll(together, nil))/128
	if got > 42 || before < 46 {
		t.Errorf("%d bytes a payload, and %d compressed together", got, before)
	}
}
