package chaos

import (
	"net/http"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestSpoolFillsItsDisk takes PostgreSQL away until what clients report has filled the disk of the server's data directory, down to the last page.
// Once PostgreSQL is back, the server must store all that it has accepted and accept more, although the disk gets no room from outside, and
// also when it is killed and started meanwhile.
func TestSpoolFillsItsDisk(t *testing.T) {
	for name, kills := range map[string]bool{"goes on": false, "is killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := newLossyWire(t, rig.DurablePostgres(t))
			data := t.TempDir()
			rig.NewRAMDisk(t, data, "8")
			s := rig.PrepareIn(t, data, wire.dsn)
			s.Restart(t)
			l := load.New(s.APIKey)
			end := l.Begin(s.Base)
			l.Await(t, load.MostAnswers)
			wire.cut(true)
			l.AwaitRefused(t, load.MostAnswers)
			if err := rig.FillDisk(data); err != nil {
				t.Fatal(err)
			}
			l.AwaitRefused(t, load.MostAnswers)
			for _, path := range []string{"/readyz", "/readyz/reports"} {
				if answer := rig.Get(t, s.Base+path); answer.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("%s answers %d while reports are refused", path, answer.StatusCode)
				}
			}
			if kills {
				end()
				s.Kill()
				wire.cut(false)
				s.Restart(t)
				end = l.Begin(s.Base)
			} else {
				wire.cut(false)
			}
			l.Await(t, load.MostAnswers)
			end()
			for late := time.Now().Add(time.Minute); rig.Get(t, s.Base+"/readyz").StatusCode != http.StatusOK; {
				if time.Now().After(late) {
					t.Fatal("the server is not ready although PostgreSQL is back")
				}
			}
			t.Log(load.Prove(t, s, l))
			s.Stop(t)
		})
	}
}
