package e2e

import (
	"net/http"
	"testing"
	"time"
)

// TestSpoolFillsItsDisk takes PostgreSQL away until what clients report has filled the disk of the server's data directory, down to the last page.
// Once PostgreSQL is back, the server must store all that it has accepted and accept more, although the disk gets no room from outside, and
// also when it is killed and started meanwhile.
func TestSpoolFillsItsDisk(t *testing.T) {
	for name, kills := range map[string]bool{"goes on": false, "is killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wire := newLossyWire(t, durablePostgres(t))
			data := t.TempDir()
			newRAMDisk(t, data, "8")
			s := prepareIn(t, data, wire.dsn)
			s.restart(t)
			l := newLoad(s.APIKey)
			end := l.begin(s.base)
			l.await(t, mostAnswers)
			wire.cut(true)
			l.awaitRefused(t, mostAnswers)
			if err := fillDisk(data); err != nil {
				t.Fatal(err)
			}
			l.awaitRefused(t, mostAnswers)
			for _, path := range []string{"/readyz", "/readyz/reports"} {
				if answer := get(t, s.base+path); answer.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("%s answers %d while reports are refused", path, answer.StatusCode)
				}
			}
			if kills {
				end()
				s.kill()
				wire.cut(false)
				s.restart(t)
				end = l.begin(s.base)
			} else {
				wire.cut(false)
			}
			l.await(t, mostAnswers)
			end()
			for late := time.Now().Add(time.Minute); get(t, s.base+"/readyz").StatusCode != http.StatusOK; {
				if time.Now().After(late) {
					t.Fatal("the server is not ready although PostgreSQL is back")
				}
			}
			t.Log(s.prove(t, l))
			s.stop(t)
		})
	}
}
