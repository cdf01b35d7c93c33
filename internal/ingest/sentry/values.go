package sentry

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"sett/internal/base/moment"
	"sett/internal/ingest/notice"
	"sett/internal/sett/scan"
)

// The same value comes in several shapes from different clients. The functions below read all of them; a value of another type is skipped
// and reads as none.

// textOf returns data as a text in place: the data must not change as long as the text is used. What is not UTF-8 becomes U+FFFD.
func textOf(data []byte) string {
	if !utf8.Valid(data) {
		return string(bytes.ToValidUTF8(data, []byte("\uFFFD")))
	}
	return unsafe.String(unsafe.SliceData(data), len(data))
}

// list calls each before every element of an array, or of the array that an object has as values. It must consume the element.
func list(s *scan.Scanner, each func()) {
	if s.Peek() != '{' {
		for range s.Elements {
			each()
		}
		return
	}
	for key := range s.Members {
		if key != "values" {
			s.Value()
			continue
		}
		for range s.Elements {
			each()
		}
	}
}

// pairs calls each with every key of an object, or the first of every pair in an array of pairs. It must consume the value.
func pairs(s *scan.Scanner, each func(key string)) {
	if s.Peek() != '[' {
		for key := range s.Members {
			each(key)
		}
		return
	}
	for range s.Elements {
		n, key := 0, ""
		for range s.Elements {
			switch n++; n {
			case 1:
				key = scalar(s)
			case 2:
				each(key)
			default:
				s.Value()
			}
		}
	}
}

// scalar returns a text, number or boolean as text, and "" for anything else.
func scalar(s *scan.Scanner) string {
	switch s.Peek() {
	case '{', '[':
		s.Value()
		return ""
	}
	return s.Text()
}

// quotedScalar is scalar, but as JSON; "" for anything but a text, number or boolean.
func quotedScalar(s *scan.Scanner) notice.JSON {
	switch s.Peek() {
	case '{', '[':
		s.Value()
		return ""
	case '"':
		value := s.Value()
		if strings.IndexByte(value, '\\') < 0 {
			return notice.JSON(value)
		}
		inside := scan.New(value)
		return notice.Text(inside.Text())
	}
	return notice.Text(s.Text())
}

// texts returns the elements of an array as texts; null is "".
func texts(s *scan.Scanner) (all []string) {
	for range s.Elements {
		all = append(all, s.Text())
	}
	return all
}

// wholeNumber returns a number that was sent as a number or a text.
func wholeNumber(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > 1<<53 || f != f {
		return 0, false
	}
	return int(f), true
}

// position returns a line or column; 0 is unknown.
func position(s *scan.Scanner) int {
	n, _ := wholeNumber(scalar(s))
	return max(0, n)
}

// readTime reads a moment; the zero time is unknown.
func readTime(s *scan.Scanner) time.Time {
	at, ok := moment.Read(scalar(s))
	if !ok || at.Unix() <= 0 {
		return time.Time{}
	}
	return at
}

// spell returns a time as notices have it; "" for an unknown one.
func spell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
