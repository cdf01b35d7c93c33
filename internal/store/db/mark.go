package db

import (
	"strconv"
	"strings"

	"sett/internal/sett"
)

// FormatMark formats a cursor of a list, such as "12.7".
func FormatMark(numbers ...int64) string {
	parts := make([]string, len(numbers))
	for i, n := range numbers {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// ParseMark is the inverse of FormatMark, for numbers that are not negative. A text that is not a cursor of that many numbers is an
// Invalid error.
func ParseMark(text string, numbers ...*int64) error {
	parts := strings.Split(text, ".")
	if len(parts) != len(numbers) {
		return ErrNoMark()
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 0 {
			return ErrNoMark()
		}
		*numbers[i] = n
	}
	return nil
}

func ErrNoMark() error {
	return sett.Refuse("cursor", "must be from a next or prev link of the same list")
}
