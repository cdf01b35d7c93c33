package phrase

import (
	"math"
	"strings"
)

// Nearest returns the word of known that needs the fewest edits to become the given one, if one is near enough to be
// what was meant: at most a third of its letters differ. Case does not count.
func Nearest(word string, known []string) (near string, ok bool) {
	return nearest(word, known, func(string) int { return max(2, len(word)/3) })
}

// Misspelt is like Nearest, but for words that usually mean something else than one of the known: of four letters one
// may differ, of seven two. Shorter words are never misspelt.
func Misspelt(word string, known []string) (meant string, ok bool) {
	return nearest(word, known, func(k string) int { return shorter(word, k) })
}

// shorter is how many letters may differ of two words that should be one.
func shorter(a, b string) int {
	if n := min(len(a), len(b)); n > 3 {
		return (n + 1) / 4
	}
	return 0
}

// nearest returns the word of known that differs least, if in no more than the given number of letters.
func nearest(word string, known []string, most func(k string) int) (near string, ok bool) {
	least := math.MaxInt
	for _, k := range known {
		most := min(most(k), least-1)
		if apart := len(word) - len(k); apart > most || -apart > most {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d <= most {
			near, least, ok = k, d, true
		}
	}
	return near, ok
}

// distance counts the letters to insert, drop, change or swap with their neighbour to make b of a (optimal string
// alignment, after Damerau 1964 and Levenshtein 1965).
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			next[j+1] = min(row[j]+change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
