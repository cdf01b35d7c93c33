package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// chaosKind is a kind of fault.
type chaosKind string

// Faults of a node, of PostgreSQL, and of object storage.
const (
	killNode  chaosKind = "kill -9 of node"
	pauseNode chaosKind = "SIGSTOP of node"
	cutNode   chaosKind = "network cut of node"
	fillNode  chaosKind = "full disk of node"
	stepClock chaosKind = "clock step of node"

	stopDatabase  chaosKind = "restart of PostgreSQL"
	crashDatabase chaosKind = "crash of PostgreSQL"
	cutSession    chaosKind = "end of all sessions"
	cutPrimary    chaosKind = "network cut of the primary"
	cutStandby    chaosKind = "network cut of the standby"
	fillDatabase  chaosKind = "full disk of the primary"
	promote       chaosKind = "promotion of the standby"

	killStorage  chaosKind = "kill -9 of object storage"
	pauseStorage chaosKind = "SIGSTOP of object storage"
	cutStorage   chaosKind = "network cut of object storage"
	fillStorage  chaosKind = "full disk of object storage"
)

// chaosFault is one fault; times are from the beginning of the run.
type chaosFault struct {
	Kind    chaosKind
	At, End time.Duration
	Node    int // 0 to chaosNodes-1; of faults of nodes
	Ahead   int // seconds; of clock steps
}

func (f chaosFault) String() string {
	text := fmt.Sprintf("%6.2fs  %s", f.At.Seconds(), f.Kind)
	switch {
	case f.Kind == stepClock:
		return fmt.Sprintf("%s %d to %+d s", text, f.Node+1, f.Ahead)
	case slices.Contains(nodeFaults.kinds, f.Kind):
		text += fmt.Sprint(" ", f.Node+1)
	}
	return fmt.Sprintf("%s until %.2fs", text, f.End.Seconds())
}

const chaosNodes = 3

// lane is faults of which one is there at a time.
type lane struct {
	kinds       []chaosKind
	least, most time.Duration // that one lasts
	gap         time.Duration // between two of them, at least; twice that at most
}

var (
	nodeFaults     = lane{[]chaosKind{killNode, pauseNode, cutNode, fillNode}, 2 * time.Second, 6 * time.Second, time.Second}
	databaseFaults = lane{[]chaosKind{stopDatabase, crashDatabase, cutSession, cutPrimary, cutStandby, fillDatabase, promote}, 2 * time.Second, 6 * time.Second, 1500 * time.Millisecond}
	storageFaults  = lane{[]chaosKind{killStorage, pauseStorage, cutStorage, fillStorage}, 2 * time.Second, 6 * time.Second, time.Second}
	clockFaults    = lane{[]chaosKind{stepClock}, 0, 0, 4 * time.Second}
)

// schedule returns the faults of a run, by lane: always the same ones of a seed and a length. All end with the run at the latest.
func schedule(seed uint64, length time.Duration) (lanes [][]chaosFault) {
	for i, l := range []lane{nodeFaults, databaseFaults, clockFaults, storageFaults} {
		lanes = append(lanes, l.draw(rand.New(rand.NewPCG(seed, uint64(i))), length))
	}
	return lanes
}

// draw returns faults one after the other; none comes again before all others have come.
func (l lane) draw(r *rand.Rand, length time.Duration) (faults []chaosFault) {
	var bag []chaosKind
	for at := l.pause(r); ; {
		if len(bag) == 0 {
			bag = slices.Clone(l.kinds)
			r.Shuffle(len(bag), func(i, j int) { bag[i], bag[j] = bag[j], bag[i] })
		}
		f := chaosFault{Kind: bag[0], At: at, End: at + between(r, l.least, l.most), Node: r.IntN(chaosNodes), Ahead: r.IntN(2*secondsApart+1) - secondsApart}
		if bag = bag[1:]; f.End > length {
			return faults
		}
		faults = append(faults, f)
		at = f.End + l.pause(r)
	}
}

func (l lane) pause(r *rand.Rand) time.Duration { return between(r, l.gap, 2*l.gap) }

func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return (least + time.Duration(r.Int64N(int64(most-least)+1))).Round(10 * time.Millisecond)
}

// TestSchedule checks what a seed promises.
func TestSchedule(t *testing.T) {
	const long = 10 * time.Minute
	all := func(seed uint64, length time.Duration) []chaosFault { return slices.Concat(schedule(seed, length)...) }
	if !slices.Equal(all(7, long), all(7, long)) || slices.Equal(all(7, long), all(8, long)) {
		t.Error("a schedule follows from something else than its seed")
	}
	for seed := range uint64(50) {
		seen := map[chaosKind]bool{}
		for _, f := range all(seed, long) {
			seen[f.Kind] = true
			if f.At < 0 || f.End < f.At || f.End > long || f.Node < 0 || f.Node >= chaosNodes || max(f.Ahead, -f.Ahead) > secondsApart {
				t.Errorf("seed %d: %+v", seed, f)
			}
		}
		for _, kind := range slices.Concat(nodeFaults.kinds, databaseFaults.kinds, clockFaults.kinds, storageFaults.kinds) {
			if !seen[kind] {
				t.Errorf("seed %d: no %s in %s", seed, kind, long)
			}
		}
		if short := all(seed, chaosLength); len(short) < 10 {
			t.Errorf("seed %d: only %d faults in %s", seed, len(short), chaosLength)
		}
	}
}
