package unminify

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/store/sourcemapdb"
	"sett/internal/store/storetest"
)

func TestUseIsSaved(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		d.save(sourcemapdb.Upload{Revision: "1", URL: shopURL, Map: shopMap(t)})
		used := func() time.Time {
			t.Helper()
			if err := d.maps.SaveUse(t.Context()); err != nil {
				t.Fatal(err)
			}
			found, _, err := d.SourceMaps.Find(t.Context(), d.ProjectID, "", "1", shopURL)
			if err != nil {
				t.Fatal(err)
			}
			return found.UsedAt
		}
		before := used()
		d.now = d.now.Add(48 * time.Hour)
		if at := used(); !at.Equal(before) {
			t.Errorf("used at %s without use", at)
		}
		d.origins(Build{Revision: "1"}, shopStack[0])
		if at := used(); at.Sub(before) != 48*time.Hour {
			t.Errorf("used at %s, uploaded at %s", at, before)
		}
	})
}

// TestAnswersAreBelievedForSeconds has another process upload: what it uploaded is used after a few seconds.
func TestAnswersAreBelievedForSeconds(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		reason := func() Reason { t.Helper(); return d.origins(Build{Revision: "1"}, shopStack[0])[0].Reason }
		if got := reason(); got != NoMaps {
			t.Fatalf("reason %d", got)
		}
		u := sourcemapdb.Upload{ProjectID: d.ProjectID, Revision: "1", URL: shopURL, Map: shopMap(t)}
		id, err := d.SourceMaps.Save(t.Context(), d.now, u)
		if err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(answerTime)
		if got := reason(); got != Found {
			t.Errorf("reason %d after an upload", got)
		}
		if err := d.SourceMaps.Delete(t.Context(), d.ProjectID, id); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(answerTime)
		if got := reason(); got != NoMaps {
			t.Errorf("reason %d after a deletion", got)
		}
	})
}

// TestIntakeDoesNotWait has another map being decoded: an event that is to be stored does not wait for its own, which is there for later ones.
func TestIntakeDoesNotWait(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.save(sourcemapdb.Upload{Revision: "1", URL: shopURL, Map: shopMap(t)})
	ask := func() Origin {
		t.Helper()
		origins, err := d.maps.lookup(Build{ProjectID: d.ProjectID, Revision: "1"}, true, 0).Origins(t.Context(), shopStack[:2])
		if err != nil {
			t.Fatal(err)
		}
		return origins[0]
	}
	d.maps.decoding <- struct{}{}
	for range 3 {
		if o := ask(); o.Reason != Busy || o.Frame != shopStack[0] || o.Why() == "" {
			t.Errorf("while another map is decoded: %s", o)
		}
	}
	<-d.maps.decoding
	d.maps.loads.Wait()
	if o := ask(); o.String() != "i src/cart.js:4:11 0" || o.Source != nil {
		t.Errorf("when the map is there: %+v", o)
	}
}

// TestLoadsAreBounded has more maps wanted than may wait.
func TestLoadsAreBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.maps.decoding <- struct{}{}
	for i := range mostLoading + 3 {
		if _, ok := d.maps.begin(fileKey{d.ProjectID, int64(i), 0}); ok != (i < mostLoading) {
			t.Errorf("load %d begins: %t", i, ok)
		}
	}
	<-d.maps.decoding
	d.maps.loads.Wait()
	if len(d.maps.loaded) != 0 || d.maps.loading != 0 || d.maps.kept != 0 {
		t.Errorf("of files that are not there, %d are kept", len(d.maps.loaded))
	}
}

// TestHostileMaps has many events ask for many maps that are as large as they may be. Memory stays within the bound, and all are answered.
func TestHostileMaps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("decodes large maps")
	}
	d := newDesk(t, storetest.OpenSQLite(t))
	large := func(fill string) []byte {
		return []byte(`{"version":3,"names":[],"sources":["a.js"],"sourcesContent":["` + fill + `"],"mappings":"` + strings.Repeat("AAAA,", 500_000) + `AAAA"}`)
	}
	for i := range 4 {
		d.save(sourcemapdb.Upload{Revision: "1", URL: fmt.Sprintf("https://a.test/%d.js", i), Map: large(strings.Repeat(fmt.Sprintf(`%d\n`, i), 2<<20))})
	}
	d.save(sourcemapdb.Upload{Revision: "1", URL: "https://a.test/4.js", Map: large(strings.Repeat("x", 20<<20))})
	d.maps.most = 20 << 20 // one of the first four
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			b := Build{ProjectID: d.ProjectID, Revision: "1"}
			l := d.maps.lookup(b, i%2 == 0, time.Hour)
			var frames []Frame
			for f := range 5 { // each event needs all maps, from another one on
				frames = append(frames, slices.Repeat([]Frame{{fmt.Sprintf("https://a.test/%d.js", (i+f)%5), "i", 1, 1}}, 10)...)
			}
			origins, err := l.Origins(context.Background(), frames)
			if err != nil || len(origins) != 50 {
				t.Errorf("event %d: %d origins, %v", i, len(origins), err)
				return
			}
			for _, o := range origins {
				large := strings.HasSuffix(o.Minified.File, "/4.js")
				if !large && !o.Mapped() && o.Reason != Busy || large && o.Reason != TooLarge && o.Reason != Busy {
					t.Errorf("event %d: %s", i, o)
				}
			}
			if kept := d.maps.memory(); kept > d.maps.most+entryBytes*2 {
				t.Errorf("%d bytes are kept", kept)
			}
		})
	}
	wait.Wait()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc > 400<<20 {
		t.Errorf("the heap has %d bytes", memory.HeapAlloc)
	}
}

// memory returns how many bytes of maps are kept, which it counts.
func (s *Maps) memory() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.recent.Front(); e != nil; e = e.Next() {
		d, _ := e.Value.(*decoded)
		if d.m != nil {
			n += d.m.Bytes()
		}
	}
	return n
}

// TestTooLargeMapsAreNotKept has a map that decodes to more than the bound.
func TestTooLargeMapsAreNotKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.maps.most = 1000
	d.save(sourcemapdb.Upload{Revision: "1", URL: shopURL, Map: shopMap(t)})
	if o := d.origins(Build{Revision: "1"}, shopStack[0])[0]; o.Reason != TooLarge || o.Why() == "" || d.maps.memory() != 0 {
		t.Errorf("reason %d, %d bytes are kept", o.Reason, d.maps.memory())
	}
}

func TestClosedMapsLoadNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.save(sourcemapdb.Upload{Revision: "1", URL: shopURL, Map: shopMap(t)})
	d.maps.Close()
	if o := d.origins(Build{Revision: "1"}, shopStack[0])[0]; o.Reason != Busy {
		t.Errorf("reason %d", o.Reason)
	}
}
