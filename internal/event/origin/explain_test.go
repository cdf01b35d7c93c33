package origin

import "testing"

func TestWhyNamesTheLineOfATable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, method, want string }{
		{"Dispatcher.java", "org.springframework.web.Dispatcher.run", "table jvm.txt: name org.springframework"},
		{"/srv/shop/node_modules/express/index.js", "next", "table directories.txt: dir node_modules"},
		{"[PROJECT_ROOT]/app/cart.rb", "pay", "its file is below the root of the project"},
		{"src/cart.ts", "pay", "no table knows it as a library's"},
		{"", "pay", "it has no file, and its name no package"},
		{"", "java.lang.Thread.run", "table jvm.txt: name java"},
		{"?", "pay", "its file is none"},
		{"/cache/react@18.2.0_x/index.js", "pay", "a directory of its path has the name and version of a package"},
	} {
		if got := Why(c.file, c.method); got != c.want {
			t.Errorf("Why(%q, %q) is %q, want %q", c.file, c.method, got, c.want)
		}
	}
}
