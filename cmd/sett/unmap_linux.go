package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapProgram removes the pages of the program file from the memory of the process: most of those that its start used are not used again. The
// system maps a page when it is next used, mostly from its cache. Where something fails, all remains as it was.
func unmapProgram() {
	file, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	for _, m := range mappingsOf(bufio.NewScanner(maps), file) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED) // it is only advice
	}
}

// mapping is where a part of a file is in memory.
type mapping struct{ from, to uintptr }

// mappingsOf returns the mappings of a file that are as the file is: read-only, and without pages of their own. A loader may have written to
// others. The lines are those of smaps in proc(5).
func mappingsOf(lines *bufio.Scanner, file string) (same []mapping) {
	var current mapping
	of := false
	for lines.Scan() {
		var m mapping
		var access string
		line := lines.Text()
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &m.from, &m.to, &access); n == 3 {
			current, of = m, strings.HasPrefix(access, "r-") && strings.HasSuffix(line, " "+file)
			continue
		}
		if name, value, _ := strings.Cut(line, ":"); of && name == "Anonymous" && strings.TrimSpace(value) == "0 kB" {
			same = append(same, current)
		}
	}
	return same
}
