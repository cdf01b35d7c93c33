package group

import "testing"

func TestPlainFile(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"": "", "src/cart.py": "src/cart.py", "lib/kiosk/oauth2/cart.rb": "lib/kiosk/oauth2/cart.rb", "api/v2/cart.go": "api/v2/cart.go",
		"db/migrate/20261101120000_add_users.rb": "db/migrate/*_add_users.rb",
		"/assets/Cart-BxTkQzLm.js":               "/assets/Cart-*.js", "/assets/index-C-_qx3Bd.js": "/assets/index-*.js", "/chunk-GQ5XJ2TD.js": "/chunk-*.js",
		"/assets/k3j9x2p1.js": "/assets/*.js", "/_next/static/chunks/pages/CartPage-3f2a91bc77.js": "/_next/static/chunks/pages/CartPage-*.js",
		"/js/cart-checkout.js": "/js/cart-checkout.js", "/js/my-CartPage.js": "/js/my-CartPage.js", "/js/app-UserList.js": "/js/app-UserList.js", "/js/jquery.validate.min.js": "/js/jquery.validate.min.js",
		"/lib/my-oauth2client/cart.rb": "/lib/my-oauth2client/cart.rb", "/_next/static/aB3dE5fG7hI9jK1lM3nO5/pages/main.js": "/_next/static/*/pages/main.js", "/_nuxt/C-k1_sQw.js": "/_nuxt/*.js", "/kiosk/3.2.1/app.js": "/kiosk/<version>/app.js",
		"/srv/kiosk-1.4.2/cart.py": "/srv/kiosk-*/cart.py", "/home/app-7d9f8b6c5-x2k4p/cart.py": "/home/app-*-*/cart.py",
		"/tmp/tmpx8k2lq0z/cart.py": "/tmp/*/cart.py", "/tmp/mako/tmpl_ab12cd34.py": "/tmp/*/tmpl_*.py", "/var/www/cache/twig/3f/3f2a91bc77.php": "/var/www/cache/twig/*/*.php",
		"<ipython-input-12-a1b2c3d4e5f6>": "<ipython-input-12-*>",
	} {
		if got := plainFile(file); got != want {
			t.Errorf("plainFile(%q) = %q, want %q", file, got, want)
		}
	}
}
