package load

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// How a life of the server ends: at a random moment within these bounds.
const (
	MostAnswers  = 400                    // after so many notices were accepted in it,
	MostDelay    = 20 * time.Millisecond  // and so long after the last of them;
	MostStarting = 150 * time.Millisecond // or, one life in five, so long after it was begun, whether it serves or not
)

// Kills is how often a server is killed: as KILLS says, or 30 times.
func Kills(t testing.TB) int {
	t.Helper()
	text := os.Getenv("KILLS")
	if text == "" {
		return 30
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("KILLS=%q is no number of kills; write one such as 100", text)
	}
	return n
}
