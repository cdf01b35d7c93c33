package prober

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sett/internal/sett"
)

var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func siteID(n uint64) (id sett.UUID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

func minutely(n uint64) Target { return Target{ID: siteID(n), Revision: 1, Frequency: time.Minute} }

func targets(n uint64) (all []Target) {
	for i := range n {
		all = append(all, minutely(i+1))
	}
	return all
}

func TestSlotsAreStableAndStrictlyInTheFuture(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := siteID(rapid.Uint64().Draw(t, "id"))
		frequency := time.Duration(rapid.SampledFrom([]int{1, 5, 15}).Draw(t, "minutes")) * time.Minute
		at := epoch.Add(time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "at")))
		offset := phase(id, "Virginia", frequency)
		slot := slotAfter(at, offset, frequency)
		if !slot.After(at) || slot.Sub(at) > frequency {
			t.Fatalf("the slot after %v is %v", at, slot)
		}
		if next := slotAfter(slot, offset, frequency); next.Sub(slot) != frequency {
			t.Fatalf("the slot after %v is %v, not a frequency later", slot, next)
		}
	})
}

// TestSlotsOutliveAClockThatIsSetBack looks at the text of a time: all else of it follows the monotonic clock unseen.
func TestSlotsOutliveAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	if slot := slotAfter(time.Now(), time.Second, time.Minute); !strings.Contains(slot.String(), " m=") {
		t.Errorf("a slot is at %s, by a clock that can be set back", slot)
	}
}

func TestPhasesSpreadSites(t *testing.T) {
	t.Parallel()
	perSecond := map[time.Duration]int{}
	for n := range uint64(6000) {
		perSecond[phase(siteID(n), "London", time.Minute)/time.Second]++
	}
	for second := range time.Duration(60) {
		if n := perSecond[second]; n < 50 || n > 200 { // 100 each
			t.Errorf("%d of 6000 sites are due in second %d", n, second)
		}
	}
	if phase(siteID(1), "London", time.Hour) == phase(siteID(1), "Oregon", time.Hour) {
		t.Error("two locations check a site in the same moment")
	}
}

func TestAtTheStartSitesAreSpreadTheOldestFirst(t *testing.T) {
	t.Parallel()
	s := newSchedule("Virginia")
	all := targets(30)
	for i := range all {
		all[i].CheckedAt = epoch.Add(-time.Duration(i) * time.Minute) // the last is the oldest
	}
	s.apply(Changes{All: true, Targets: all}, epoch)
	if due := s.take(epoch); len(due) != 1 || due[0].ID != siteID(30) {
		t.Fatalf("due at once: %d sites, want the one that was checked longest ago", len(due))
	}
	if due := s.take(epoch.Add(catchUp / 2)); len(due) != 15 {
		t.Errorf("in the first half of the time %d more were due, want 15", len(due))
	}
	if s.take(epoch.Add(catchUp)); len(s.due) != 0 {
		t.Errorf("%d sites were not due within %v", len(s.due), catchUp)
	}
}

func TestWhatIsNewEditedOrAskedForIsDueNow(t *testing.T) {
	t.Parallel()
	edited := minutely(1)
	edited.Revision = 2
	asked := minutely(1)
	asked.AskedAt = epoch
	slower := minutely(1)
	slower.Frequency = 5 * time.Minute
	for name, c := range map[string]struct {
		change Target
		due    int
	}{
		"new": {minutely(99), 1}, "edited": {edited, 1}, "asked for": {asked, 1}, "of another frequency": {slower, 1}, "listed again": {minutely(1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSchedule("Virginia")
			s.apply(Changes{All: true, Targets: targets(1)}, epoch)
			for _, e := range s.take(epoch) {
				s.done(e, epoch)
			}
			s.apply(Changes{Targets: []Target{c.change}}, epoch)
			if due := s.take(epoch); len(due) != c.due {
				t.Errorf("%d sites are due, want %d", len(due), c.due)
			}
		})
	}
}

func TestAnAskDuringACheckIsAnsweredByAnother(t *testing.T) {
	t.Parallel()
	s := newSchedule("Virginia")
	s.apply(Changes{All: true, Targets: targets(1)}, epoch)
	running := s.take(epoch)[0]
	asked := minutely(1)
	asked.AskedAt = epoch.Add(time.Second)
	s.apply(Changes{Targets: []Target{asked}}, epoch.Add(time.Second))
	if due := s.take(epoch.Add(2 * time.Second)); len(due) != 0 {
		t.Fatal("two checks of one site run at once")
	}
	s.done(running, epoch.Add(3*time.Second))
	if due := s.take(epoch.Add(3 * time.Second)); len(due) != 1 {
		t.Error("the ask was forgotten")
	}
}

func TestSlotsThatPassDuringACheckAreMerged(t *testing.T) {
	t.Parallel()
	s := newSchedule("Virginia")
	s.apply(Changes{All: true, Targets: targets(1)}, epoch)
	e := s.take(epoch)[0]
	s.done(e, epoch.Add(10*time.Minute)) // it took that long
	if at, _ := s.next(); at.Before(epoch.Add(10*time.Minute)) || at.After(epoch.Add(11*time.Minute)) {
		t.Errorf("next due %v after the start", at.Sub(epoch))
	}
	if len(s.due) != 1 {
		t.Errorf("%d checks are queued", len(s.due))
	}
}

func TestSitesThatAreGoneAreNotChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Changes{
		"named": {Gone: []sett.UUID{siteID(1)}}, "not among all": {All: true, Targets: []Target{minutely(2)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSchedule("Virginia")
			s.apply(Changes{All: true, Targets: targets(2)}, epoch)
			running := s.take(epoch.Add(time.Hour))
			s.apply(c, epoch)
			for _, e := range running {
				s.done(e, epoch)
			}
			if due := s.take(epoch.Add(time.Hour)); len(due) != 1 || due[0].ID != siteID(2) {
				t.Errorf("still due: %d", len(due))
			}
		})
	}
}

// A new site is due at once, and its slot may be a moment later: it is not looked at twice in a row.
func TestASlotRightAfterACheckOutOfTurnIsLeftOut(t *testing.T) {
	t.Parallel()
	slot := slotAfter(epoch, phase(siteID(1), "Virginia", time.Minute), time.Minute)
	for before, want := range map[time.Duration]time.Time{time.Second: slot.Add(time.Minute), 30 * time.Second: slot} {
		s := newSchedule("Virginia")
		made := slot.Add(-before)
		s.apply(Changes{All: true, Targets: targets(1)}, made)
		s.done(s.take(made)[0], made)
		if at, _ := s.next(); !at.Equal(want) {
			t.Errorf("%v after it was made comes its slot, and it is due after %v", before, at.Sub(made))
		}
		s.done(s.take(want)[0], want)
		if at, _ := s.next(); !at.Equal(want.Add(time.Minute)) {
			t.Errorf("after a check in its slot it is due after %v", at.Sub(want))
		}
	}
}
