package regroup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestTheLastRuleThatMatchesDecides(t *testing.T) {
	t.Parallel()
	rules, err := Parse("# our fork\nlibrary: vendor/*\n\napp: vendor/acme/*\nlibrary: com.example.legacy.*\nhelper: require*\nmessage: on for Payment*\nmessage: off for PaymentTimeout\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, function, want string }{
		{"vendor/other/a.rb", "run", "library: vendor/*"},
		{"/srv/shop/vendor/other/a.rb", "run", "library: vendor/*"},
		{`C:\shop\vendor\acme\a.cs`, "", "app: vendor/acme/*"},
		{"notvendor/a.rb", "run", ""},
		{"Pay.java", "com.example.legacy.Pay.run", "library: com.example.legacy.*"},
		{"Pay.java", "com.example.legacyfree.Pay.run", ""},
		{"", "com.example.legacy.Pay.run", "library: com.example.legacy.*"},
		{"cart.rb", "Cart#require_positive", "helper: require*"},
		{"cart.rb", "Cart#prerequire", ""},
		{"", "", ""},
	} {
		rule, ok := rules.Frame(c.file, c.function)
		if got := rule.String(); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("Frame(%q, %q) is %q %v, want %q", c.file, c.function, got, ok, c.want)
		}
	}
	for class, want := range map[string]int{"PaymentDeclined": 7, "PaymentTimeout": 8, "Shop.PaymentTimeout": 8, "Other": 0} {
		if rule, _ := rules.Message(class); rule.Line != want {
			t.Errorf("Message(%q) is line %d, want %d", class, rule.Line, want)
		}
	}
}

// What clients send cannot make rules take long: without bounds, these texts take days.
func TestLongTextsAreComparedInPart(t *testing.T) {
	t.Parallel()
	rules, err := Parse("library: *a*a*a*a*a*a*a*b\nlibrary: a*a*a*a*a*a*a*a*b\nlibrary: src/*")
	if err != nil {
		t.Fatal(err)
	}
	if rule, ok := rules.Frame(strings.Repeat("a/", 1<<20), strings.Repeat("a.", 1<<20)); ok {
		t.Errorf("%v matches", rule)
	}
	if _, ok := rules.Frame("/srv/shop/src/"+strings.Repeat("a/", 1<<20), ""); !ok {
		t.Error("the beginning of a long path is not compared")
	}
}

func TestWrongRulesSayTheirLineAndWhatToWrite(t *testing.T) {
	t.Parallel()
	_, err := Parse("app: src/*\nvendor/*\nlibary: x\nhelper: **\nmessage: PaymentError\nlibrary: " + strings.Repeat("*a", 9))
	const write = ` Write "app: PATTERN", "library: PATTERN", "helper: PATTERN", "message: on for CLASS" or "message: off for CLASS"`
	want := sett.Problems{
		"rules has an error in line 2: the colon is missing." + write,
		`rules has an error in line 3: "libary" is no kind of rule.` + write,
		`rules has an error in line 4: the pattern needs a letter or digit. Write for example "src/vendor/*" or "com.example.legacy.*"`,
		`rules has an error in line 5: it says neither "on for" nor "off for" a class. Write for example "message: off for PaymentError"`,
		"rules has an error in line 6: the pattern has more than 8 asterisks. Write fewer: one stands for any text, slashes included",
	}
	if diff := cmp.Diff(want, sett.ProblemsOf(err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if _, err := Parse("#" + strings.Repeat("a", 50_000)); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("a long comment: %v", err)
	}
	if _, err := Parse(strings.Repeat("app: a\n", 201)); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("201 rules: %v", err)
	}
}
