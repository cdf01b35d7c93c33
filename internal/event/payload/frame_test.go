package payload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The files and methods are those of the recorded payloads, and of runtimes that no recording shows.
func TestOriginOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		context, file, method string
		want                  Origin
	}{
		{"app", "/srv/shop/hb_php.php", "", Marked},
		{"app", "", "start/2", Marked},
		{"app", "/app/vendor/lib.rb", "", Marked},
		{"all", "lib/elixir/lib/kernel.ex", "+/1", Vendored},
		{"all", "[PROJECT_ROOT]/app.rb", "", Vendored},

		{"", "[PROJECT_ROOT]/app/hb_ruby.rb", "<main>", InProject},
		{"", "[PROJECT_ROOT]/node_modules/express/index.js", "", Vendored},
		{"", "[PROJECT_ROOT]/vendor/bundle/x.rb", "", Vendored},
		{"", "[PROJECT_ROOT]/lib/ruby_client/call.rb", "", InProject},
		{"", "[GEM_ROOT]/gems/rack-3.1/lib/rack.rb", "call", Vendored},
		{"", "[NODE_MODULES]/router/lib/layer.js", "Layer.handleRequest", Vendored},
		{"", "/usr/local/lib/ruby/3.1.0/net/http.rb", "get", Vendored},

		{"", "", "core::ops::function::FnOnce::call_once", Vendored},
		{"", "/srv/shop/cmd/hbgo/main.go", "main.main", Unmarked},
		{"", "/usr/local/go/src/runtime/proc.go", "runtime.main", Vendored},
		{"", "net/http/server.go", "net/http.HandlerFunc.ServeHTTP", Vendored},
		{"", "/home/deploy/go/pkg/mod/github.com/x/y@v0.9.0/client.go", "main.f", Vendored},
		{"", "/srv/shop/runtime.js", "runtime.start", Unmarked},

		{"", "/srv/shop/hb_python.py", "<module>", Unmarked},
		{"", "/usr/lib/python3.11/functools.py", "__get__", Vendored},
		{"", "/root/.pyenv/versions/3.12/lib/python3.12/json/decoder.py", "decode", Vendored},
		{"", "/srv/venv/site-packages/django/core.py", "get", Vendored},
		{"", "<frozen importlib._bootstrap>", "_load", Vendored},
		{"", "/srv/vendor/honeybadger-python/honeybadger/notice.py", "payload", Vendored},

		{"", "node:internal/modules/cjs/loader", "Module._compile", Vendored},
		{"", "internal/modules/cjs/loader.js", "Module._compile", Vendored},
		{"", "http://localhost:39835/page?utm=1", "<unknown>", Unmarked},
		{"", "http://localhost:39835/honeybadger.js", "n.___hb", Vendored},
		{"", "https://cdn.example.test/honeybadger.min.js", "wrap", Vendored},
		{"", "chrome-extension://abc/content.js", "run", Vendored},
		{"", "<anonymous>", "eval", Vendored},

		{"", "Order.java", "com.shop.Order.pay", Unmarked},
		{"", "Integer.java", "java.lang.Integer.parseInt", Vendored},
		{"", "harness/crystal/hb_crystal.cr", "__crystal_main", Unmarked},
		{"", "/usr/lib/crystal/lib/crystal/main.cr", "main", Vendored},
		{"", "/srv/shop/bin/hb_crystal in '_start'", "**unknown**", Vendored},
		{"", "???", "", Vendored},
		{"", `C:\shop\packages\Program.cs`, "Main", Unmarked},
		{"", `C:\shop\vendor\lib.php`, "run", Vendored},
	} {
		if got := OriginOf(c.context, c.file, c.method); got != c.want {
			t.Errorf("OriginOf(%q, %q, %q) = %d, want %d", c.context, c.file, c.method, got, c.want)
		}
	}
}

// The most certain mark that a client uses decides which frames are the application's.
func TestMarkApp(t *testing.T) {
	t.Parallel()
	bare := Frame{File: "/srv/shop/main.rb"}
	project := Frame{File: "[PROJECT_ROOT]/main.rb"}
	marked := Frame{File: "main.rb", Context: "app"}
	gem := Frame{File: "[GEM_ROOT]/rack.rb"}
	for _, c := range []struct {
		name   string
		frames []Frame
		want   []string // application files
	}{
		{"nothing", nil, nil},
		{"only libraries", []Frame{gem, gem}, nil},
		{"bare paths", []Frame{gem, bare, bare}, []string{"/srv/shop/main.rb", "/srv/shop/main.rb"}},
		{"project paths win", []Frame{bare, project, gem}, []string{"main.rb"}},
		{"marks win", []Frame{bare, project, marked}, []string{"main.rb"}},
	} {
		frames := append([]Frame(nil), c.frames...)
		var got []string
		for _, f := range markApp(frames) {
			got = append(got, f.ApplicationFile)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: application files (-want +got):\n%s", c.name, diff)
		}
		app := 0
		for _, f := range frames {
			if f.ApplicationFile != "" || f.Context != "app" && f.Context != "all" {
				t.Errorf("%s: frame %+v", c.name, f)
			}
			if f.Context == "app" {
				app++
			}
		}
		if app != len(c.want) {
			t.Errorf("%s: %d frames are marked app, want %d", c.name, app, len(c.want))
		}
	}
}
