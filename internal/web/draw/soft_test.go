package draw

import (
	"html"
	"strings"
	"testing"
)

func TestSoft(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                     "",
		"RuntimeError":                         "RuntimeError",
		"a.b.c.d":                              "a.b.c.d", // short
		"Acme::Checkout::PaymentError":         "Acme::<wbr>Checkout::<wbr>PaymentError",
		"org.example.shop.CartException":       "org.<wbr>example.<wbr>shop.<wbr>CartException",
		`App\Http\Controllers\CartController`:  `App\<wbr>Http\<wbr>Controllers\<wbr>CartController`,
		"github.com/acme/shop/cart.ErrEmpty":   "github.<wbr>com/<wbr>acme/<wbr>shop/<wbr>cart.<wbr>ErrEmpty",
		"some_very_long_function_name_here":    "some_<wbr>very_<wbr>long_<wbr>function_<wbr>name_<wbr>here",
		"in short words a.b c::d e_f g/h i.j":  "in short words a.b c::d e_f g/h i.j",
		"time: at 10:20:30.123456789 o'clock":  "time: at 10:20:30.123456789 o&#39;clock",
		"Some.Very.Long.Class.Name...........": "Some.<wbr>Very.<wbr>Long.<wbr>Class.<wbr>Name...........",
		"<script>alert.call(1)</script>.done":  "&lt;script&gt;alert.<wbr>call(1)&lt;/<wbr>script&gt;.<wbr>done",
		"&amp;.&amp;.&amp;.&amp;.&amp;.&amp;":  "&amp;amp;.<wbr>&amp;amp;.<wbr>&amp;amp;.<wbr>&amp;amp;.<wbr>&amp;amp;.<wbr>&amp;amp;",
	} {
		if got := string(Soft(text)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// Whatever a client says stays text: without the breaks it is what was said.
func FuzzSoft(f *testing.F) {
	for _, text := range []string{`"><img src=x onerror=alert(1)>.aaaaaaaaaaaa::bbbbb`, "</strong>\x00/\xff\\ü_日本語.日本語", strings.Repeat("aaaa.", 200), "' onmouseover='x/aaaaaaaaaaa", "{{.User}}::<!-- -->::aaaaaa"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := string(Soft(text))
		if n := strings.Count(got, "<wbr>"); n > softMost {
			t.Errorf("%d breaks", n)
		}
		plain := strings.ReplaceAll(got, "<wbr>", "")
		if strings.ContainsAny(plain, `<>"'`) {
			t.Errorf("not escaped: %q", plain)
		}
		if said := strings.ReplaceAll(text, "\x00", "\uFFFD"); html.UnescapeString(plain) != said {
			t.Errorf("%q became %q", said, html.UnescapeString(plain))
		}
	})
}
