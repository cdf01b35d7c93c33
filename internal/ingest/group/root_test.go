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

func TestPlainPath(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"https://kiosk.example/app.js": "app.js", "https://cdn.example/kiosk/3.2.1/app.js": "app.js", "https://kiosk.example/orders/ord_9sK2mQ7xLp0d": "orders/*",
		"https://kiosk.example/_next/static/chunks/app/%5Blocale%5D/page-3f2a91bc77aa0d12.js": "_next/static/chunks/app/[locale]/page-*.js",
		"webpack:///./src/Cart.tsx": "src/Cart.tsx", "webpack://kiosk/./src/Cart.tsx?3f2a": "src/Cart.tsx", "webpack-internal:///(rsc)/./src/Cart.tsx": "src/Cart.tsx", "turbopack:///[project]/src/Cart.tsx": "src/Cart.tsx",
		"turbopack://[project]/src/Cart.tsx": "src/Cart.tsx", "[project]/src/Cart.tsx [app-client] (ecmascript)": "src/Cart.tsx", "http://localhost:5173/@fs/home/ann/kiosk/src/Cart.tsx": "src/Cart.tsx",
		"webpack://_N_E/./src/app/[locale]/(shop)/cart/page.tsx": "src/app/[locale]/(shop)/cart/page.tsx", "ng:///./src/app/cart.ts": "src/app/cart.ts",
		"file:///C:/inetpub/kiosk/shop.mjs": "shop.mjs", `D:\home\site\wwwroot\src\bank.js`: "src/bank.js", "/Applications/Kiosk.app/Contents/Resources/app.asar/dist/main.js": "dist/main.js",
		"file:///android_asset/www/js/cart.js": "www/js/cart.js", "app:///index.android.bundle": "*.bundle", "/src/kiosk/cart/cart.go": "cart.go", "<ipython-input-12-a1b2c3d4e5f6>": "<ipython-input>",
		"<9f2c41e06d3b4a1f8e7a5c3d2b1a0f9e>": "", "kiosk/cart.py": "kiosk/cart.py", "": "",
	} {
		if got := plainPath(file, fileName(file)); got != want {
			t.Errorf("plainPath(%q) = %q, want %q", file, got, want)
		}
	}
}
