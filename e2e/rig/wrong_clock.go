package rig

import (
	"os"
	"strconv"
	"testing"
)

// steppedClock is a file of a variant whose wall clock is ahead by as many seconds as the file says that the variable CLOCK_FILE names, also when
// that changes. Its monotonic clock is right, as on a machine whose clock is set.
const steppedClock = `package app

import (
	"os"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"
)

var clockAhead atomic.Int64 // seconds

func init() {
	readClock()
	go func() {
		for ; ; time.Sleep(50 * time.Millisecond) {
			readClock()
		}
	}()
}

func readClock() {
	text, _ := os.ReadFile(os.Getenv("CLOCK_FILE"))
	if ahead, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		clockAhead.Store(ahead)
	}
}

// steppedNow changes the seconds of the wall clock, which are above the 30 bits of the nanoseconds (time.Time).
func steppedNow() time.Time {
	now := time.Now()
	*(*uint64)(unsafe.Pointer(&now)) += uint64(clockAhead.Load()) << 30
	return now
}
`

// WrongClock returns the program, which is built once for all stories.
func WrongClock(t testing.TB) (binary string) {
	t.Helper()
	v := Variant{"internal/app/stepped_clock.go": steppedClock}.with(t, "internal/app/app.go", "now: time.Now,", "now: steppedNow,")
	binary, err := shared("sett-wrong-clock", func(file string) error { v.Build(t, file); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// SetClock sets how many seconds a clock is ahead.
func SetClock(t testing.TB, file string, ahead int) {
	t.Helper()
	next := file + ".next"
	WriteFile(t, next, []byte(strconv.Itoa(ahead)))
	if err := os.Rename(next, file); err != nil {
		t.Fatal(err)
	}
}
