package group

import (
	"testing"

	"sett/internal/event/origin"
)

func TestFirstOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		context, file, method string
		want                  origin.Origin
	}{
		{"app", "/srv/shop/hb_php.php", "", origin.Marked},
		{"app", "", "start/2", origin.Marked},
		{"app", "/app/vendor/lib.rb", "", origin.Marked},
		{"all", "lib/elixir/lib/kernel.ex", "+/1", origin.Vendored},
		{"all", "[PROJECT_ROOT]/app.rb", "", origin.Vendored},

		{"", "[PROJECT_ROOT]/app/hb_ruby.rb", "<main>", origin.InProject},
		{"", "[PROJECT_ROOT]/node_modules/express/index.js", "", origin.Vendored},
		{"", "[PROJECT_ROOT]/vendor/bundle/x.rb", "", origin.Vendored},
		{"", "[PROJECT_ROOT]/lib/ruby_client/call.rb", "", origin.InProject},
		{"", "[GEM_ROOT]/gems/rack-3.1/lib/rack.rb", "call", origin.Vendored},
		{"", "[NODE_MODULES]/router/lib/layer.js", "Layer.handleRequest", origin.Vendored},
		{"", "/usr/local/lib/ruby/3.1.0/net/http.rb", "get", origin.Vendored},

		{"", "", "core::ops::function::FnOnce::call_once", origin.Vendored},
		{"", "/srv/shop/cmd/hbgo/main.go", "main.main", origin.Unmarked},
		{"", "/usr/local/go/src/runtime/proc.go", "runtime.main", origin.Vendored},
		{"", "net/http/server.go", "net/http.HandlerFunc.ServeHTTP", origin.Vendored},
		{"", "/home/deploy/go/pkg/mod/github.com/x/y@v0.9.0/client.go", "main.f", origin.Vendored},
		{"", "/srv/shop/runtime.js", "runtime.start", origin.Unmarked},

		{"", "/srv/shop/hb_python.py", "<module>", origin.Unmarked},
		{"", "/usr/lib/python3.11/functools.py", "__get__", origin.Vendored},
		{"", "/root/.pyenv/versions/3.12/lib/python3.12/json/decoder.py", "decode", origin.Vendored},
		{"", "/srv/venv/site-packages/django/core.py", "get", origin.Vendored},
		{"", "<frozen importlib._bootstrap>", "_load", origin.Vendored},
		{"", "/srv/vendor/honeybadger-python/honeybadger/notice.py", "payload", origin.Vendored},

		{"", "node:internal/modules/cjs/loader", "Module._compile", origin.Vendored},
		{"", "internal/modules/cjs/loader.js", "Module._compile", origin.Vendored},
		{"", "http://localhost:39835/page?utm=1", "<unknown>", origin.Unmarked},
		{"", "http://localhost:39835/honeybadger.js", "n.___hb", origin.Vendored},
		{"", "https://cdn.example.test/honeybadger.min.js", "wrap", origin.Vendored},
		{"", "chrome-extension://abc/content.js", "run", origin.Vendored},
		{"", "<anonymous>", "eval", origin.Vendored},

		{"", "Order.java", "com.shop.Order.pay", origin.Unmarked},
		{"", "Integer.java", "java.lang.Integer.parseInt", origin.Vendored},
		{"", "harness/crystal/hb_crystal.cr", "__crystal_main", origin.Unmarked},
		{"", "/usr/lib/crystal/lib/crystal/main.cr", "main", origin.Vendored},
		{"", "/srv/shop/bin/hb_crystal in '_start'", "**unknown**", origin.Vendored},
		{"", "???", "", origin.Vendored},
		{"", `C:\shop\packages\Program.cs`, "Main", origin.Unmarked},
		{"", `C:\shop\vendor\lib.php`, "run", origin.Vendored},
	} {
		if got := FirstOrigin(c.context, c.file, c.method); got != c.want {
			t.Errorf("FirstOrigin(%q, %q, %q) = %d, want %d", c.context, c.file, c.method, got, c.want)
		}
	}
}
