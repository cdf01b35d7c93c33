package web

import "testing"

func TestShortRevision(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]string{"": "", "v1.2": "v1.2", "9c2ab10d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b": "9c2ab10", "release-of-the-great-shop": "release-of-the-great-shop"} {
		if got := ShortRevision(revision); got != want {
			t.Errorf("%s: %s, want %s", revision, got, want)
		}
	}
}
