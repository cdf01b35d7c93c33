package group

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNormalizeMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"  Oops \n\t again\x00 ", "Oops again"},
		{"card declined", "card declined"},
		{"naïve façade ☃ 日本語", "naïve façade ☃ 日本語"},
		{"bad \xff byte", "bad \uFFFD byte"},

		{"got 12 of -3.5, +1e-9 and 1,234.50", "got <number> of <number>, <number> and <number>"},
		{"ids [1,2,3] and [4,5]", "ids [<number>] and [<number>]"},
		{"version 2.0.1-rc2", "version <number>-rc<number>"},
		{"took 1.5s for user_42 of shard7", "took <number>s for user_<number> of shard<number>"},
		{"range 3-5, ratio 3/4", "range <number>-<number>, ratio <number>/<number>"},
		{"utf8 sha256sum x86_64", "utf<number> sha<number>sum x<number>_<number>"},
		{"foo.js:12:3 foo.js:12:30", "foo.js:<number>:<number> foo.js:<number>:<number>"},

		{"at 0x1F, 0x00007f8a9c", "at <number>, <number>"},
		{"#<Object:0x000055d0c1a2b3c8>", "#<Object:<number>>"},
		{"commit 3f2a9c1 facade deadbeef 123456", "commit <number> facade deadbeef <number>"},
		{"charge ch_3Lk2J9x8QzR failed", "charge ch_<id> failed"},
		{"job 550e8400-e29b-41d4-a716-446655440000 lost", "job <id> lost"},
		{"job 12345678-1234-1234-1234-123456789012.", "job <id>."},

		{"at 2026-10-07T21:12:40.123Z", "at <time>"},
		{"at 2026-10-07 21:12:40 +0200, again", "at <time>, again"},
		{"at 2026-10-07 21:12:40.12 +0000 UTC m=+0.5", "at <time> m=<number>"},
		{"on 2026-10-07 and 2026/1/2: none", "on <time> and <time>: none"},
		{"Wed, 07 Oct 2026 21:12:40 GMT", "<time>"},
		{"Wednesday, 07-Oct-26 21:12:40 UTC passed", "<time> passed"},
		{"Wed Oct  7 21:12:40 2026", "<time>"},
		{"Wed Oct  7 21:12:40 CEST 2026", "<time>"},
		{"[07/Oct/2026:21:12:40 +0200]", "[<time>]"},
		{"before October 7, 2026 or Jan 5", "before <time> or <time>"},
		// A year follows only the time of day of a date without one, and has four digits: other numbers are what was counted.
		{"2026-10-07 21:12:40 4711 rows", "<time> <number> rows"},
		{"2026-10-07 21:12:40 UTC 4711 rows", "<time> <number> rows"},
		{"07 Oct 2026 21:12:40 4711 rows", "<time> <number> rows"},
		{"Oct 7, 2026 21:12:40 4711 rows", "<time> <number> rows"},
		{"Wed Oct  7 21:12:40 2026 4711 rows", "<time> <number> rows"},
		{"Oct 7 21:12:40 47110 rows", "<time> <number> rows"},
		{"Oct 7 21:12:40 471 rows", "<time> <number> rows"},
		{"Oct 7 47110 rows", "<time> <number> rows"},
		{"Oct 7 471 rows", "<time> <number> rows"},
		{"2026-10-07 4711 rows", "<time> <number> rows"},
		{"21:12:40 4711 rows", "<time> <number> rows"},
		{"21:12:40 +47110 rows", "<time> <number> rows"},
		{"21:12:40.0123456789 rows", "<time>.<number> rows"},
		{"opens 9:15 PM, closes 21:12:40", "opens <time>, closes <time>"},
		{"May not be Sun or March", "May not be Sun or March"},
		{"Monday 5 items", "Monday <number> items"},

		{"dial tcp 10.0.0.12:5432: refused", "dial tcp <address>: refused"},
		{"dial tcp [2001:db8::1]:5432 refused", "dial tcp <address> refused"},
		{"from ::1, fe80::1ff:fe23:4567:890a.", "from <address>, <address>."},
		{"from ::ffff:10.0.0.1 via 00:1b:44:11:3a:b7", "from <address> via <address>"},
		{"std::io::Error in a::b and Foo::Bar2", "std::io::Error in a::b and Foo::Bar<number>"},
		{"version 1.2.3.4.5", "version <number>"},

		{"mail to ann.o+x@mail.example.com failed", "mail to <email> failed"},
		{"react@18.2.0 @scope/pkg git@github.com:a/b", "react@<number> @scope/pkg <email>:a/b"},
		{"GET https://u:p@api.example.com:8443/v1/a?b=1#c, then", "GET <url>, then"},
		{"(see http://localhost:3000/x) jdbc://h", "(see <url>) <url>"},
		{"redis://10.0.0.1:6379/0: down", "<url>: down"},

		{"undefined method 'name' for nil", "undefined method <text> for nil"},
		{"undefined method `name' for nil", "undefined method <text> for nil"},
		{"no `x` in \"a 'b' c\"", "no <text> in <text>"},
		{"can't open 'it isn't here' for you", "can't open <text> for you"},
		{"The file “a.txt” couldn’t be opened", "The file <text> couldn’t be opened"},
		{"the users' table, 5' tall", "the users' table, <number>' tall"},
		{`left "open and 'alone`, `left "open and 'alone`},
		{"key='a' other=''", "key=<text> other=<text>"},

		{"no such file: /srv/app/releases/20261007/config.yml", "no such file: /srv/app/releases/<number>/config.yml"},
	} {
		if diff := cmp.Diff(c.want, NormalizeMessage(c.in)); diff != "" {
			t.Errorf("NormalizeMessage(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestNormalizeMessageLength(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"counts runes":              {strings.Repeat("é", 300), strings.Repeat("é", 200)},
		"after normalising":         {strings.Repeat("9", 5000) + " x", "<number> x"},
		"never splits a mark":       {strings.Repeat("a", 195) + " 12", strings.Repeat("a", 195)},
		"drops trailing quotes":     {strings.Repeat("a", 194) + " 'b c'd", strings.Repeat("a", 194) + " 'b c"},
		"quotes end behind the cut": {"'" + strings.Repeat("a ", 200) + "' b", "<text> b"},
	} {
		if diff := cmp.Diff(c.want, NormalizeMessage(c.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// pieces are what messages are made of, and what could confuse a scanner.
var pieces = []string{
	" ", "  ", "\n", "a", "word", "é", "日", "\xff", "_", "-", "+", ".", ",", ":", "::", "/", "://", "@", "#", "[", "]", "<", ">",
	"'", "\"", "`", "“", "”", "’", "can't", "'x'", "\"y\"", "0", "7", "12", "1.5", "1e5", "0x", "0x1f", "3f2a9c", "facade", "a1b2c3d4",
	"550e8400-e29b-41d4-a716-446655440000", "10.0.0.1", "fe80::1", "http", "https://a.b/c?d", "x@y.zz", "x@1.2", "Mon", "May", "Oct",
	"2026-10-07", "21:12:40", "9:15", " UTC", "Z", " PM", "T", "<number>", "<text>", strings.Repeat("z", 190), strings.Repeat("q'", 95),
}

func messages() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), "")
	})
}

func checkNormalized(t interface{ Fatalf(string, ...any) }, in string) {
	once := NormalizeMessage(in)
	if twice := NormalizeMessage(once); twice != once {
		t.Fatalf("NormalizeMessage(%q) = %q, and again %q", in, once, twice)
	}
	if n := utf8.RuneCountInString(once); n > messageLength || !utf8.ValidString(once) {
		t.Fatalf("NormalizeMessage(%q) = %q: %d runes", in, once, n)
	}
	if strings.ContainsAny(once, "0123456789\x00\n") || strings.TrimSpace(once) != once {
		t.Fatalf("NormalizeMessage(%q) = %q", in, once)
	}
}

func TestNormalizeMessageIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkNormalized(t, messages().Draw(t, "message")) })
}

func TestNormalizeMessageForgetsValues(t *testing.T) {
	t.Parallel()
	values := map[string]*rapid.Generator[string]{
		"number":  rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,4})?`),
		"address": rapid.StringMatching(`0x[0-9a-f]{8,16}`),
		"digest":  rapid.StringMatching(`[0-9][0-9a-f]{7,40}`),
		"uuid":    rapid.StringMatching(`[0-9][0-9a-f]{7}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`),
		"ip":      rapid.StringMatching(`[1-9][0-9]{0,2}\.[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}(:[0-9]{2,5})?`),
		"email":   rapid.StringMatching(`[a-z][a-z0-9._+-]{0,10}@[a-z0-9]{1,10}\.[a-z]{2,5}`),
		"url":     rapid.StringMatching(`https?://[a-z0-9.]{1,20}(:[0-9]{2,4})?/[a-zA-Z0-9/?&=%_-]{0,30}[a-z0-9]`),
		"time":    rapid.StringMatching(`20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z| UTC|\+0[0-9]:00)`),
		"text":    rapid.StringMatching(`"[a-z0-9 '<]{0,30}"`),
	}
	for kind, value := range values {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				a, b := value.Draw(t, "a"), value.Draw(t, "b")
				x, y := NormalizeMessage("can't take "+a+", stopped"), NormalizeMessage("can't take "+b+", stopped")
				if x != y {
					t.Fatalf("%q and %q differ", x, y)
				}
			})
		})
	}
}

func TestNormalizeMessageKeepsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		message := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,8}`), 1, 20).Draw(t, "words"), " ")
		if got := NormalizeMessage(message); got != message {
			t.Fatalf("NormalizeMessage(%q) = %q", message, got)
		}
	})
}

func FuzzNormalizeMessage(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece + " '" + piece + "\"" + piece)
	}
	f.Fuzz(func(t *testing.T, in string) { checkNormalized(t, in) })
}

func BenchmarkNormalizeMessage(b *testing.B) {
	typical := "PG::UniqueViolation: ERROR: duplicate key value violates unique constraint \"index_users_on_email\" DETAIL: Key " +
		"(email)=(ann@example.com) already exists at 2026-10-07 21:12:40 UTC from 10.0.0.12, request 550e8400e29b"
	for name, message := range map[string]string{
		"typical":    typical,
		"apostrophe": strings.Repeat("'a", 100),
		"dots":       strings.Repeat("1.", 100),
		"colons":     strings.Repeat(":a", 100),
		"long":       strings.Repeat("1", 100_000) + strings.Repeat("a.", 50_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			for b.Loop() {
				NormalizeMessage(message)
			}
		})
	}
}
