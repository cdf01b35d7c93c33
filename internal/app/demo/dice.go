package demo

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// dice are a source of chance of their own for one part of the history, so that a change of one part moves no other.
type dice struct {
	*rand.Rand
	source *rand.ChaCha8
}

// newDice returns the dice with a name; the same ones for the same seed.
func newDice(seed uint64, name string) dice {
	key := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), name...))
	source := rand.NewChaCha8(key)
	return dice{rand.New(source), source}
}

// Read fills p, for what draws ids.
func (d dice) Read(p []byte) (int, error) { return d.source.Read(p) }

// chance is true with a probability.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// between returns a duration from low on and before high.
func (d dice) between(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low)))
}

// count returns how often something happens that happens mean times on average (Knuth 1969, 3.4.1; by the normal
// distribution where that is the same).
func (d dice) count(mean float64) int {
	if mean > 30 {
		return max(0, int(math.Round(mean+math.Sqrt(mean)*d.NormFloat64())))
	}
	n, p, end := 0, d.Float64(), math.Exp(-mean)
	for p > end {
		p *= d.Float64()
		n++
	}
	return n
}

// hex returns n hexadecimal digits.
func (d dice) hex(n int) string {
	b := make([]byte, (n+1)/2)
	_, _ = d.Read(b) // never fails
	return fmt.Sprintf("%x", b)[:n]
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// text returns n letters and digits.
func (d dice) text(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[d.IntN(len(letters))]
	}
	return string(b)
}

// pick returns one of several.
func pick[T any](d dice, of []T) T { return of[d.IntN(len(of))] }
