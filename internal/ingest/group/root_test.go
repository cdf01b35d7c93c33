package group

import "testing"

func TestWithoutRoot(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"kiosk.py": "kiosk.py", "lib/kiosk.py": "lib/kiosk.py", "/app/kiosk.py": "kiosk.py", "/app/lib/kiosk.py": "lib/kiosk.py", "/srv/kiosk/releases/*/lib/kiosk.py": "lib/kiosk.py",
		"/srv/kiosk/kiosk.py": "kiosk.py", "/srv/kiosk/lib/kiosk.py": "lib/kiosk.py", "/home/ines/kiosk/src/kiosk.py": "src/kiosk.py", "/home/ines/kiosk/lib/kiosk.py": "lib/kiosk.py",
		"C:/inetpub/kiosk/shop.mjs": "shop.mjs", "/tmp/*/tasks.py": "tasks.py", "/kiosk.py": "/kiosk.py", "/unknown/dir/kiosk.py": "/unknown/dir/kiosk.py",
		"/Users/ines/kiosk/lib/kiosk.py": "lib/kiosk.py", "/var/task/index.js": "index.js", "/src/kiosk/cart/cart.go": "kiosk/cart/cart.go",
	} {
		if got := withoutRoot(file); got != want {
			t.Errorf("withoutRoot(%q) = %q, want %q", file, got, want)
		}
	}
}
