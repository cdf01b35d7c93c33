package fault

import (
	"strings"
	"testing"
)

func TestBrowsers(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51":       "Edge 131 on Windows",
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36":                   "Chrome 130 on Android 14",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1": "Safari 17 on iPhone (iOS 17)",
		"Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0":                                                                  "Firefox 132 on Linux",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15":                   "Safari 18 on macOS",
		"curl/8.5.0": "curl 8", "python-requests/2.31": "", "": "", "Android": "A browser on Android", "\xff\x00": "", strings.Repeat("Chrome/", 100_000): "Chrome",
	} {
		if got := browserOf(agent); got != want {
			t.Errorf("%.60q: %q, want %q", agent, got, want)
		}
	}
}
