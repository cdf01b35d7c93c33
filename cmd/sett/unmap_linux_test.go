package main

import (
	"bufio"
	"slices"
	"strings"
	"testing"
)

// Pages that a loader has written to are not in the file: they would come back without what it wrote.
func TestOnlyPagesOfTheFileAreUnmapped(t *testing.T) {
	t.Parallel()
	const smaps = `00400000-01c3f000 r-xp 00000000 fe:00 9986146                            /opt/a b/sett
Size:              24828 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
01c3f000-0370b000 r--p 0183f000 fe:00 9986146                            /opt/a b/sett
Rss:               19972 kB
Anonymous:             0 kB
0370b000-0380b000 r--p 0183f000 fe:00 9986146                            /opt/a b/sett
Anonymous:             4 kB
0380b000-0390b000 rw-p 0330b000 fe:00 9986146                            /opt/a b/sett
Anonymous:             0 kB
7f0000000000-7f0000001000 r--p 00000000 fe:00 11                         /usr/lib/sett
Anonymous:             0 kB
7f0000002000-7f0000003000 rw-p 00000000 00:00 0
Anonymous:             0 kB
`
	got := mappingsOf(bufio.NewScanner(strings.NewReader(smaps)), "/opt/a b/sett")
	if want := []mapping{{0x400000, 0x1c3f000}, {0x1c3f000, 0x370b000}}; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}
