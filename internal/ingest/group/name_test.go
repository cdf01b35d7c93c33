package group

import "testing"

func TestPlainName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"pay": "pay", "Kiosk::Cart#pay": "Kiosk::Cart#pay", "step2": "step2", "sha256": "sha256", "utf8.decode": "utf8.decode", "com.kiosk.v2.Cart.pay": "com.kiosk.v2.Cart.pay",
		"com.kiosk.MainActivity.lambda$onCreate$0": "com.kiosk.MainActivity.lambda$onCreate$", "com.kiosk.Cart$pay$2.invokeSuspend": "com.kiosk.Cart$pay$.invokeSuspend",
		"com.kiosk.Cart$$Lambda$31/0x0000000840.run": "com.kiosk.Cart$Lambda.run", "com.kiosk.Cart$$EnhancerBySpringCGLIB$$3f2a.pay": "com.kiosk.Cart.pay",
		"com.kiosk.Cart$$SpringCGLIB$$0.pay": "com.kiosk.Cart.pay", "com.sun.proxy.$Proxy71.pay": "com.sun.proxy.$Proxy.pay", "Cart.access$000": "Cart.access$",
		"$anonfun$pay$3": "$anonfun$pay$", "kiosk.cart$total$fn__98765.invoke": "kiosk.cart$total$fn__.invoke",
		"Kiosk.Cart+<PayAsync>d__12.MoveNext": "Kiosk.Cart.PayAsync", "PayAsync>d__12.MoveNext": "PayAsync",
		"Kiosk.Cart.<>c__DisplayClass4_0.<Pay>b__1": "Kiosk.Cart.Pay", "Kiosk.Cart.<>c.<Pay>b__1_0": "Kiosk.Cart.Pay", "Kiosk.Cart.<Pay>g__Charge|12_0": "Kiosk.Cart.Pay>Charge",
		"kiosk::cart::pay::h1f0a2b3c4d5e6f70": "kiosk::cart::pay", "kiosk::cart::pay::{{closure}}": "kiosk::cart::pay::{{closure}}",
		"class@anonymous\x00/var/www/cart.php:12$4a::pay": "class@anonymous::pay", "class@anonymous\x00/var/www/cart.php:12$4a": "class@anonymous",
		"#<Class:0x000055d2a1b2c3d4>#pay": "#<Class:*>#pay", "block (2 levels) in pay": "block ( levels) in pay", "_app_views_cart_html_erb___3040598738223_70130": "",
		"main.pay.func1.2": "main.pay.func", "closure #2 in Cart.pay()": "closure # in Cart.pay()", "pay()::$_1::operator()() const": "pay()::$_::operator()() const",
		"__TwigTemplate_3f2a91bc77aa.block_body": "__TwigTemplate_*.block_body", "-pay/2-fun-0-": "-pay/2-fun--",
		"async pay": "pay", "async*pay": "pay", "new Cart": "Cart", "Cart.pay [as onClick]": "Cart.pay", "promise callback*pay": "pay", "pay$1": "pay$",
		"?": "", "HTMLButtonElement.<anonymous>": "", "pay/<": "", "global code": "", "0x00007f3a2c11": "",
	} {
		if got := plainName(name); got != want {
			t.Errorf("plainName(%q) = %q, want %q", name, got, want)
		}
		if got := plainName(want); got != want {
			t.Errorf("plainName(%q) = %q: not the same again", want, got)
		}
	}
}
