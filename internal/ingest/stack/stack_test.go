package stack

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/notice"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Each text in testdata/text is what a program printed (Python 3.13, Node.js 20, Java 17, Ruby 3.1, PHP 8.2, Elixir 1.14, Go, Rust, Erlang/OTP 25, Perl 5.36, Lua 5.4,
// R 4.2 with rlang), or is written after the documentation: .NET, Firefox, Safari, Hermes, Kotlin, Ruby 3.4, OpenTelemetry for PHP, Dart, Swift, Lua 5.1, Devel::StackTrace.
func TestTexts(t *testing.T) {
	t.Parallel()
	for name, text := range texts(t) {
		got := shown(Parse(text))
		file := filepath.Join("testdata", "golden", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s changed (-want +got); run with -update if that is meant:\n%s", file, diff)
		}
		if crlf := shown(Parse(strings.ReplaceAll(text, "\n", "\r\n"))); crlf != got {
			t.Errorf("%s: with CRLF it is\n%s", name, crlf)
		}
	}
}

func texts(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "text", "*.txt"))
	if err != nil || len(names) < 70 {
		t.Fatalf("%d texts, %v", len(names), err)
	}
	all := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(text)
	}
	return all
}

// shown writes errors down for people.
func shown(errors []notice.Cause) string {
	var b strings.Builder
	for _, e := range errors {
		fmt.Fprintf(&b, "%q %q\n", e.Class, e.Message)
		for _, f := range e.Backtrace {
			fmt.Fprintf(&b, "  %s | %s:%d:%d %s\n", f.Method, f.File, f.Line, f.Column, f.Context)
		}
	}
	return b.String()
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "\n \n": 0, "one line": 1, "a\n\n b\n": 2, strings.Repeat("x\n", 3*maxFrames): maxFrames} {
		got := Parse(text)
		if len(got) != 1 || len(got[0].Backtrace) != want {
			t.Errorf("%.20q: %d errors, %d frames; want 1 and %d", text, len(got), len(got[0].Backtrace), want)
		}
	}
}

// Whatever a text is, there is an error in it, and its size has bounds.
func FuzzParse(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		errors := Parse(text)
		if len(errors) == 0 || len(errors) > maxErrors {
			t.Fatalf("%d errors", len(errors))
		}
		length := 0
		for _, e := range errors {
			length += len(e.Class) + len(e.Message)
			for _, frame := range e.Backtrace {
				if length += len(frame.File) + len(frame.Method); frame.Line < 0 || frame.Column < 0 {
					t.Fatalf("a frame is %+v", frame)
				}
			}
			if len(e.Backtrace) > maxFrames {
				t.Fatalf("%d frames", len(e.Backtrace))
			}
		}
		if length > 2*len(text)+100*maxErrors {
			t.Fatalf("%d bytes of %d", length, len(text))
		}
	})
}

// However a text is made, it takes no more time than its length allows.
func BenchmarkParseHostile(b *testing.B) {
	for name, piece := range map[string]string{
		"lines": "a\n", "calls": "   at a.b.c(d(e(f in g:h", "places": "    at f (a:1:2", "python": "Traceback (most recent call last):\n  File \"a\", line 1\nE: x\ny\ny\ny\n",
		"ruby": "a:1:in 'b': c (", "go": "main.f((((((\n\t/a.go:1\n", "php": "#0 a(1)(1)(1", "elixir": "    (a 1) b.ex:1:", "java": "\tat a.b(C.java:1)\nCaused by: a: b\n", "dart": "#0 a (b:", "swift": "0 a 0x123456 b + 1 in ", "erlang": "{a,b,[", "erlang list": "{a,b,1,[{file,\"a\"},{line,1}]}", "lua": "stack traceback:\n\ta:1: in function '", "r": "2: a(\n1: b at c#",
		"perl": "a at b line 1.\n\tc(d) called at e line 2\n", "v8 group": "  [errors]: [\n    E: a\n      at b (c:1:2)\n", "members": "+---- 0 ----\n|Traceback (most recent call last):\n",
	} {
		text := strings.Repeat(piece, maxText/len(piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse(text)
			}
		})
	}
}
