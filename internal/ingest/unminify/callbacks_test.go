package unminify

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/function"
	"sett/internal/store/sourcemapdb"
)

// stackFrame is a line of a stack of V8.
var stackFrame = regexp.MustCompile(`^    at (?:(.+) \(|async )?(.+?):(\d+):(\d+)\)?$`)

// stacksOf returns the frames of the errors that a program of testdata/callbacks reported, by their first lines.
func stacksOf(t *testing.T, name string) (messages []string, stacks map[string][]Frame) {
	t.Helper()
	stacks = map[string][]Frame{}
	for line := range strings.Lines(string(read(t, "callbacks/"+name+".stacks"))) {
		m := stackFrame.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			if !strings.HasPrefix(line, " ") {
				messages = append(messages, strings.TrimSpace(line))
			}
			continue
		}
		row, _ := strconv.Atoi(m[3])
		column, _ := strconv.Atoi(m[4])
		last := messages[len(messages)-1]
		stacks[last] = append(stacks[last], Frame{m[2], m[1], row, column})
	}
	return messages, stacks
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// withFunctions is an upload of a map with its minified file.
func withFunctions(t testing.TB, u sourcemapdb.Upload, minified []byte) sourcemapdb.Upload {
	t.Helper()
	m, err := sourcemap.Parse(u.Map, sourcemap.Largest)
	if err != nil {
		t.Fatal(err)
	}
	if table := function.Of(minified, m); table != nil {
		u.Functions = table.Encode()
	}
	return u
}

// A callback has the name of the function around it, whatever the bundler has made of both.
func TestCallbacksHaveTheNameOfTheFunctionAroundThem(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"esbuild", "es2015", "webpack", "rollup"} {
		pay, retry := "pay", "retry"
		if name == "webpack" { // its minifier makes variables of an object's properties, and says that both are the object
			pay, retry = "checkout", "checkout"
		}
		want := map[string]string{
			"Error: no price for NaN": "loadCart src/cart.js:5:28 0",
			"TypeError: no items":     "new Basket src/cart.js:12:23 0",
			"Error: no item":          "Basket.total src/cart.js:17:57 0",
			"Error: paid 1":           pay + " src/cart.js:26:56 0",
			"Error: retried":          retry + " src/cart.js:27:51 0",
			"Error: arrow 1":          "arrow src/cart.js:30:54 0",
			"Error: no item later":    "Basket.later src/cart.js:21:72 0",
		}
		engines(t, func(t *testing.T, d *desk) {
			url := "https://shop.example.test/" + name + ".js"
			d.save(withFunctions(t, sourcemapdb.Upload{Revision: "1", URL: url, Map: read(t, "callbacks/"+name+".js.map")}, read(t, "callbacks/"+name+".js")))
			got := map[string]string{}
			messages, stacks := stacksOf(t, name)
			for _, message := range messages {
				got[message] = d.origins(Build{Revision: "1"}, stacks[message]...)[0].String()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: first frames (-want +got):\n%s", name, diff)
			}
		})
	}
}
