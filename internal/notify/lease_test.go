package notify

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What is being sent ends when the process can no longer say that it is its own, and what is sent after that does not.
func TestGripCutsOffWhatItLoses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewLease(nil)
		if g.isHeld() {
			t.Error("held before it was kept")
		}
		g.extend(5 * time.Second)
		sending := g.context()
		want := func(when string, held bool, why error) {
			t.Helper()
			synctest.Wait()
			if got := context.Cause(sending); g.isHeld() != held || got != why {
				t.Errorf("%s: held %v, %v; want %v, %v", when, g.isHeld(), got, held, why)
			}
		}
		<-time.After(4 * time.Second)
		g.extend(5 * time.Second)
		<-time.After(5*time.Second - 1)
		want("within the time", true, nil)
		<-time.After(1)
		want("after it", false, errLost)
		g.extend(5 * time.Second)
		want("what was cut off, when it is kept again", true, errLost)
		sending = g.context()
		want("what is sent then", true, nil)
		g.extend(0)
		<-time.After(time.Hour)
		want("for good", true, nil)
	})
}
