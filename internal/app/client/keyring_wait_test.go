package client

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestASilentKeyringIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unlocked := make(chan struct{})
		defer close(unlocked)
		_, err := (&Profiles{keyring: true}).inKeyring(func() (string, error) { <-unlocked; return "late", nil })
		if err == nil || !strings.Contains(err.Error(), "did not answer within 3s") {
			t.Errorf("the answer is %v", err)
		}
	})
}
