package kill

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestAlertsSurviveKills kills the server over and over, at every step of the way of an alert: after the commit of what
// happened, while alerts are spread, claimed, sent, and recorded. The server must deliver all that it has accepted, in order,
// and what it sends twice must have the same id.
func TestAlertsSurviveKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{"sqlite": "", "postgres": rig.DurablePostgres(t)} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			killAlerts(t, database)
		})
	}
}

func killAlerts(t *testing.T, database string) {
	s, b := rig.Prepare(t, database), load.OpenAlertBox(t)
	s.Flags = append(s.Flags, "--location", "none", "--egress-allow", "127.0.0.0/8")
	s.Restart(t)
	load.AddWebHook(t, s, b, "occurred", "resolved", "unresolved")
	l := load.NewNews(s)
	b.FailOnce(20)
	n := max(load.Kills(t)/2, 1)
	for life := range n {
		deadly := make(chan struct{}, 1)
		b.OnArrival(func(news load.Delivery) {
			if life%2 == 0 && rand.IntN(30) == 0 { // while it sends, or before it has recorded
				select {
				case deadly <- struct{}{}:
				default:
				}
			}
			l.Follow(news)
		})
		end := l.Begin(s.Base)
		select {
		case <-deadly:
		case <-time.After(rand.N(800 * time.Millisecond)):
		}
		s.Kill()
		end()
		s.Restart(t)
	}
	b.OnArrival(l.Follow)
	b.FailOnce(0)
	l.Begin(s.Base)() // the address to follow at
	b.Await(t, "all that was accepted", func(received []load.Delivery) bool { return len(l.Missing(received)) == 0 })
	s.Stop(t)
	b.ProveOrder(t)
	t.Logf("%d kills: %d alerts promised, %d delivered, %d of them more than once", n, len(l.Promised), len(b.Received), b.Repeated())
}

// TestTwoNodesTellOnce lets two servers share a database. No delivery may be on its way twice at a time, and without
// trouble none is sent twice at all.
func TestTwoNodesTellOnce(t *testing.T) {
	t.Parallel()
	s, b := rig.Prepare(t, rig.DurablePostgres(t)), load.OpenAlertBox(t)
	s.Flags = append(s.Flags, "--location", "none", "--egress-allow", "127.0.0.0/8")
	s.Restart(t)
	load.AddWebHook(t, s, b, "occurred")
	second := rig.Launch(t, s.Flags...)
	bases := []string{s.Base, second.Await(t)}
	const faults = 400
	web := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for serial := client; serial < faults; serial += 8 {
				if !load.ReportNew(web, bases[serial%2], s.APIKey, serial) {
					t.Errorf("notice %d was not accepted", serial)
				}
			}
		})
	}
	clients.Wait()
	b.Await(t, "an alert of every fault", func(received []load.Delivery) bool { return len(received) >= faults })
	second.Stop(t)
	s.Stop(t)
	if n := b.Repeated(); n > 0 || len(b.Received) != faults {
		t.Errorf("%d faults were delivered %d times, %d deliveries came more than once", faults, len(b.Received), n)
	}
	b.ProveOrder(t)
}
