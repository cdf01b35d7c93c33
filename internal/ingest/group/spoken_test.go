package group

import "testing"

func TestEnginesSayTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ class, message, wantClass, want string }{
		{"TypeError", "Cannot read properties of undefined (reading 'price')", "TypeError", "a property of undefined 'price'"},
		{"TypeError", "Cannot read property 'price' of undefined", "TypeError", "a property of undefined 'price'"},
		{"TypeError", "undefined is not an object (evaluating 'this.cart.items.price')", "TypeError", "a property of undefined 'price'"},
		{"TypeError", "undefined is not an object (evaluating 'cart.price.toFixed(2)')", "TypeError", "a property of undefined 'toFixed'"},
		{"TypeError", `can't access property "price", cart.items is undefined`, "TypeError", "a property of undefined 'price'"},
		{"TypeError", "cart.items is undefined", "TypeError", "a property of undefined"},
		{"TypeError", "cart.pay is not a function. (In 'cart.pay()', 'cart.pay' is undefined)", "TypeError", "no function 'pay'"},
		{"ReferenceError", "Can't find variable: price", "ReferenceError", "not defined 'price'"},
		{"InternalError", "too much recursion", "RangeError", "too much recursion"},
		{"RangeError", "Maximum call stack size exceeded.", "RangeError", "too much recursion"},
		{"SyntaxError", "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", "SyntaxError", "no JSON"},
		{"SyntaxError", "JSON Parse error: Unexpected EOF", "SyntaxError", "JSON ends early"},
		{"TypeError", "Load failed", "TypeError", "failed request"},
		{"TypeError", "Failed to fetch dynamically imported module: https://kiosk.example/a-3f2a.js", "ChunkLoadError", "a script of the application is gone"},
		{"UnhandledRejection", "undefined", "Error", "nothing was thrown"},
		{"Error", "the cart is undefined", "Error", "the cart is undefined"}, // the application's own
		{"kiosk.Gone", "Load failed", "kiosk.Gone", "Load failed"},
		{"TypeError", "unsupported operand type(s) for +: 'int' and 'str'", "TypeError", "unsupported operand type(s) for +: <text> and <text>"}, // Python's
	} {
		class, message, _ := sayingOf(Error{Class: c.class, Message: c.message})
		if class != c.wantClass || message != c.want {
			t.Errorf("%s: %s is %s: %s, want %s: %s", c.class, c.message, class, message, c.wantClass, c.want)
		}
	}
}
