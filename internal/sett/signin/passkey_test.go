package signin

import "testing"

func TestSecondFactorOfEveryMeans(t *testing.T) {
	t.Parallel()
	for how, want := range map[How]bool{ByPassword: true, ByInvitation: false, ByPasskey: false, ByOIDC: false, ByProxy: false} {
		if got := how.SecondFactorNeeded(true); got != want || how.SecondFactorNeeded(false) {
			t.Errorf("%s asks for a second factor: %t", how, got)
		}
	}
}
