package watch

import (
	"os"
	"strconv"
	"strings"
)

// processorTime returns how long the processors of the machine have been idle, and how long they have run, in ticks of all of them since it
// started.
func processorTime() (idle, all int64) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(first)
	for i, field := range fields[min(1, len(fields)):] {
		n, err := strconv.ParseInt(field, 10, 64)
		switch {
		case err != nil:
			return 0, 0
		case i == 3 || i == 4: // idle, and waiting for a disk
			idle += n
			all += n
		case i < 8: // what follows is counted in the first ones
			all += n
		}
	}
	return idle, all
}
