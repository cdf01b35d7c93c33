package group

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"app/models/order.rb", "app/models/order.rb"},
		{"[PROJECT_ROOT]/app/models/order.rb", "app/models/order.rb"},
		{"./app//models/./order.rb", "app/models/order.rb"},
		{`app\models\order.rb`, "app/models/order.rb"},
		{`C:\shop\Program.cs`, "C:/shop/Program.cs"},
		{"/srv/C#/Program.cs", "/srv/C#/Program.cs"},
		{"[GEM_ROOT]/gems/rack-3.1.8/lib/rack.rb", "[GEM_ROOT]/gems/rack-3.1.8/lib/rack.rb"},
		{"node:internal/modules/cjs/loader", "node:internal/modules/cjs/loader"},
		{"../lib/x.py", "../lib/x.py"},

		{"https://cdn.example.com/assets/app.js", "/assets/app.js"},
		{"http://localhost:39835/assets/app.js?v=123#x", "/assets/app.js"},
		{"http://localhost:39835", "/"},
		{"http://localhost/orders/1234/edit", "/orders/*/edit"},
		{"http://localhost/orders/550e8400-e29b-41d4-a716-446655440000", "/orders/*"},
		{"webpack:///./src/app.js?a1b2", "/src/app.js"},
		{"webpack-internal:///./src/app.js", "/src/app.js"},
		{"app.js?v=123", "app.js"},

		{"/srv/shop/releases/20261007211240/app.py", "/srv/shop/releases/*/app.py"},
		{"/Application/550e8400-e29b-41d4-a716-446655440000/App.app/App", "/Application/*/App.app/App"},
		{"settings/add-2fa.js", "settings/add-2fa.js"},

		{"app-3f2a9c.js", "app-*.js"},
		{"static/js/chunk.3f2a9c1b.js", "static/js/chunk.*.js"},
		{"main.abcdef12.chunk.js", "main.*.chunk.js"},
		{"assets/index-BxT3k9Qz.js", "assets/index-*.js"},
		{"3f2a9c1b.js", "*.js"},
		{"x1234567-1234567.js", "x1234567-*.js"},
		{"OAuth2Client.js", "OAuth2Client.js"},
		{"index-UserList.js", "index-UserList.js"},
		{"db/migrate/20261007211240_add_users.rb", "db/migrate/20261007211240_add_users.rb"},
	} {
		if diff := cmp.Diff(c.want, fileName(c.in)); diff != "" {
			t.Errorf("fileName(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestMethodName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"show", "show"},
		{" OrdersController#show ", "OrdersController#show"},
		{"block (2 levels) in show", "block (2 levels) in show"},
		{"<module>", "<module>"},
		{"main.main.func2.2", "main.main.func2.2"},
		{"x__1", "x__1"},
		{"<unknown>", ""},
		{"<anonymous>", ""},
		{"?", ""},
		{"Object.<anonymous>", "Object"},
		{"Foo.bar [as baz]", "Foo.bar"},
		{"0x0000000104b2a3c4", ""},
		{"0xyz", "0xyz"},
		{"_app_views_orders_show_html_erb___3040598738223_70130", "_app_views_orders_show_html_erb"},
		{"_app_views_orders_show_html_erb__148205734_70130", "_app_views_orders_show_html_erb"},
	} {
		if diff := cmp.Diff(c.want, methodName(c.in)); diff != "" {
			t.Errorf("methodName(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}
