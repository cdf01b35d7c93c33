package origin

import "testing"

func TestGuess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, method string
		want         Origin
	}{
		{"app/cart.rb", "pay", Unmarked},
		{"[PROJECT_ROOT]/app/cart.rb", "pay", InProject},
		{"[GEM_ROOT]/gems/rack-3.1/lib/rack.rb", "call", Vendored},
		{"[PROJECT_ROOT]/vendor/bundle/rack.rb", "call", Vendored},
		{"/usr/lib/ruby/3.3.0/json.rb", "parse", Vendored},
		{"<internal:kernel>", "loop", Vendored},
		{"kiosk/pay.py", "charge", Unmarked},
		{"/srv/venv/lib/python3.12/site-packages/django/core/handlers/base.py", "x", Vendored},
		{"<frozen importlib._bootstrap>", "x", Vendored},
		{"/usr/local/lib/python3.12/asyncio/taskgroups.py", "x", Vendored},
		{"<ipython-input-12-a1b2>", "<module>", Unmarked},
		{"Cart.java", "com.kiosk.Cart.pay", Unmarked},
		{"ArrayList.java", "java.util.ArrayList.get", Vendored},
		{"Assert.java", "org.springframework.util.Assert.notNull", Vendored},
		{"Handler.java", "android.os.Handler.handleCallback", Vendored},
		{"AFn.java", "clojure.lang.AFn.run", Vendored},
		{"cart.clj", "kiosk.cart$total$fn.invoke", Unmarked},
		{"Javabean.java", "javabean.Cart.pay", Unmarked},
		{"", "System.Linq.Enumerable.First", Vendored},
		{"", "Kiosk.Cart.Pay", Unmarked},
		{"", "array_map", Vendored},
		{"Cart.cs", "Kiosk.Cart.Pay", Unmarked},
		{"/_/src/libraries/System.Linq/src/First.cs", "System.Linq.Enumerable.First", Vendored},
		{"lib/ecto/repo.ex", "Ecto.Repo.one!/2", Vendored},
		{"lib/kiosk/cart.ex", "Kiosk.Cart.pay/1", Unmarked},
		{"gen_server.erl", ":gen_server.call/3", Vendored},
		{"deps/plug/lib/plug.ex", "x", Vendored},
		{"lib/enum.ex", "Elixir.Enum.map/2", Vendored},
		{"/usr/local/go/src/net/http/server.go", "net/http.HandlerFunc.ServeHTTP", Vendored},
		{"net/http/server.go", "net/http.(*conn).serve", Vendored},
		{"/src/kiosk/cart.go", "kiosk/cart.(*Cart).Pay", Unmarked},
		{"/src/kiosk/main.go", "main.main", Unmarked},
		{"/root/go/pkg/mod/go.opentelemetry.io/otel@v1.38.0/span.go", "x", Vendored},
		{"github.com/x/y@v1.0.0/y.go", "github.com/x/y.Z", Vendored},
		{"src/cart.rs", "kiosk::cart::pay", Unmarked},
		{"/rustc/abc/library/core/src/option.rs", "core::option::unwrap", Vendored},
		{"option.rs", "<core::option::Option<T>>::unwrap", Vendored},
		{"https://kiosk.example/app.js", "pay", Unmarked},
		{"https://kiosk.example/_next/static/chunks/framework-3f2a91.js", "x", Vendored},
		{"https://kiosk.example/js/runtime-config.js", "x", Unmarked},
		{"https://cdn.jsdelivr.net/npm/vue@3/dist/vue.js", "x", Vendored},
		{"https://deno.land/std@0.224.0/assert.ts", "x", Vendored},
		{"chrome-extension://abc/content.js", "x", Vendored},
		{"turbopack:///[project]/src/pay.ts", "x", Unmarked},
		{"turbopack:///[project]/node_modules/react/index.js", "x", Vendored},
		{"turbopack:///[turbopack]/browser/runtime.ts", "x", Vendored},
		{"[locale]/page.tsx", "x", Unmarked},
		{"../../[locale]/page.tsx", "x", Unmarked},
		{"(group)/cart/page.tsx", "x", Unmarked},
		{"webpack://_N_E/(app-pages-browser)/./src/pay.ts", "x", Unmarked},
		{"webpack-internal:///(rsc)/./src/pay.ts", "x", Unmarked},
		{"webpack-internal:///(rsc)/./node_modules/next/x.js", "x", Vendored},
		{"/@fs/home/ines/kiosk/src/pay.ts", "x", Unmarked},
		{"webpack:///./src/pay.ts", "x", Unmarked},
		{"webpack:///webpack/bootstrap", "x", Vendored},
		{"webpack://kiosk/webpack/bootstrap", "x", Vendored},
		{"webpack://kiosk/external commonjs react", "x", Vendored},
		{"ng:///kiosk/pay.component.ts", "x", Unmarked},
		{"meteor://💻app/imports/pay.ts", "x", Unmarked},
		{"node:internal/process/task_queues", "x", Vendored},
		{"internal/modules/cjs/loader.js", "x", Vendored},
		{"/app/.pnpm/react@18.2.0/index.js", "x", Vendored},
		{"/app/honeybadger.min.js", "x", Vendored},
		{"package:flutter/src/widgets/framework.dart", "x", Vendored},
		{"package:kiosk/cart.dart", "x", Unmarked},
		{"dart:async/zone.dart", "x", Vendored},
		{"src/main/vendor.py", "x", Unmarked},
		{`C:\kiosk\node_modules\x\y.js`, "x", Vendored},
		{"[internal function]", "array_map", Vendored},
		{"", "", Vendored},
		{"libdispatch.dylib", "_dispatch_call_block_and_release", Vendored},
		{"Kiosk", "Cart.pay()", Unmarked},
		{"../sysdeps/nptl/libc_start_call_main.h", "__libc_start_call_main", Vendored},
	} {
		if got := Guess(c.file, c.method); got != c.want {
			t.Errorf("Guess(%q, %q) = %d, want %d", c.file, c.method, got, c.want)
		}
	}
}

func BenchmarkGuess(b *testing.B) {
	for b.Loop() {
		Guess("/srv/app/releases/20261127/lib/kiosk/models/cart.rb", "pay")
		Guess("Cart.java", "com.kiosk.shop.cart.Cart.pay")
	}
}
