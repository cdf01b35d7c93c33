package store

import (
	"strconv"
	"strings"

	"sett/internal/sett"
)

// formatMark writes a mark of a list, such as "12.7".
func formatMark(numbers ...int64) string {
	parts := make([]string, len(numbers))
	for i, n := range numbers {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// parseMark is the inverse of formatMark, for numbers that are not negative. What is no mark of that many numbers is an
// Invalid error.
func parseMark(text string, numbers ...*int64) error {
	parts := strings.Split(text, ".")
	if len(parts) != len(numbers) {
		return errNoMark()
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 0 {
			return errNoMark()
		}
		*numbers[i] = n
	}
	return nil
}

func errNoMark() error {
	return sett.Refuse("cursor", "must be taken from a next or prev link of the same list")
}
