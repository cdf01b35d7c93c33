package sourcemap

import "fmt"

// Limits are the largest numbers that a map may have. They bound its memory: with Largest, a decoded map takes less than 200 MB whatever
// its text is, and less than 80 MB if that is UTF-8 with names of usual lengths.
type Limits struct {
	Bytes    int // of its JSON
	Segments int // positions
	Sources  int // original files
	Names    int // identifiers
	Sections int // of an index map
	Depth    int // of index maps in index maps
}

// Largest are the limits of maps that are stored. A bundle of 6 MB has a map of some 30 MB with 1.2 million segments.
var Largest = Limits{Bytes: 32 << 20, Segments: 2_000_000, Sources: 50_000, Names: 500_000, Sections: 10_000, Depth: 4}

// Error says why a text cannot be used as a source map, and what to do about it. Its text is for the one who sent the map.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

func tooMany(what string, most int) error {
	return errorf("The source map has more than %d %s. Split the bundle into smaller ones, so that each gets a map of its own", most, what)
}
