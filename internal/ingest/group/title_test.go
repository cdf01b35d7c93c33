package group

import "testing"

func TestTitle(t *testing.T) {
	t.Parallel()
	app := &Frame{File: "https://shop.example/assets/cart.js?v=3", Method: "pay", Line: "3"}
	one := func(class, message string) []Error {
		return []Error{{Class: class, Message: message, App: app, Top: app}}
	}
	gone, declined := Error{Class: "Gone", Message: "order 1 is gone"}, Error{Class: "Declined", Message: "HTTP 503"}
	for name, c := range map[string]struct {
		named          Named
		class, message string
	}{
		"as it was sent":           {Named{Chain: one("TypeError", "x is null")}, "TypeError", "x is null"},
		"a class only":             {Named{Chain: one("RuntimeException", "")}, "RuntimeException", "in pay (cart.js:3)"},
		"a class and no place":     {Named{Chain: []Error{{Class: "Boom", Message: " "}}}, "Boom", ""},
		"a message only":           {Named{Chain: one("", "boom")}, "Error", "boom"},
		"nothing":                  {Named{Chain: []Error{{}}}, "Error", "No message was sent."},
		"null":                     {Named{Chain: one("UnhandledRejection", "null")}, "UnhandledRejection", "in pay (cart.js:3)"},
		"undefined, on a page":     {Named{Chain: []Error{{Message: "undefined"}}, URL: "https://shop.example/checkout?token=1#a"}, "Error", "at /checkout"},
		"an object, in a job":      {Named{Chain: []Error{{Message: "[object Object]"}}, Component: "MailJob"}, "Error", "in MailJob"},
		"an address with an id":    {Named{Chain: []Error{{Class: "Error"}}, URL: "https://shop.example/orders/1234/edit?a=b"}, "Error", "at /orders/*/edit"},
		"an action":                {Named{Chain: []Error{{Class: "Error"}}, Action: "GET /orders"}, "Error", "in GET /orders"},
		"a DOM event":              {Named{Chain: one("Error", "[object ProgressEvent]")}, "ProgressEvent", "in pay (cart.js:3)"},
		"a DOM event as JSON":      {Named{Chain: []Error{{Class: "Error", Message: `{"isTrusted":true}`}}, URL: "/cart"}, "Error", "at /cart"},
		"an object with a message": {Named{Chain: one("Error", `{"code":402,"error":"declined","message":"The card was declined"}`)}, "Error", "The card was declined"},
		"a value object":           {Named{Chain: one("Error", `{"code":402,"message":null}`)}, "Error", `{"code":402,"message":null}`},
		"no object after all":      {Named{Chain: one("Error", `{"message":"cut o`)}, "Error", `{"message":"cut o`},
		"a rejection":              {Named{Chain: one("Error", "Object captured as promise rejection with keys: a, b")}, "Error", "Object captured as promise rejection with keys: a, b"},
		"a frame without a method": {Named{Chain: []Error{{Class: "Error", App: &Frame{File: "/srv/cart.php", Line: "12"}}}}, "Error", "in cart.php:12"},
		"a library's frame":        {Named{Chain: []Error{{Class: "Error", Top: &Frame{Method: "memcpy"}}}}, "Error", "in memcpy"},

		"a wrapper": {Named{Chain: []Error{{Class: "java.util.concurrent.ExecutionException", Message: "Gone: order 1 is gone"}, gone}}, "Gone", "order 1 is gone"},
		"a wrapper that adds to the message": {Named{Chain: []Error{
			{Class: "*fmt.wrapError", Message: "checkout: pay: order 1 is gone"}, {Class: "*fmt.wrapError", Message: "pay: order 1 is gone"}, gone,
		}}, "Gone", "checkout: pay: order 1 is gone"},
		"two wrappers": {Named{Chain: []Error{
			{Class: "CompletionException", Message: "x"}, {Class: "InvocationTargetException"}, declined,
		}}, "Declined", "HTTP 503"},
		"a cause with news of both": {Named{Chain: []Error{{Class: "Checkout", Message: "step failed"}, gone}}, "Checkout", "step failed"},
		"a wrapper of nothing":      {Named{Chain: []Error{{Class: "AggregateError", Message: "All promises were rejected"}}, URL: "/cart"}, "AggregateError", "at /cart"},

		"a group": {Named{Chain: []Error{{Class: "AggregateError", Message: "All promises were rejected"}, gone, declined}}, "AggregateError", "Gone: order 1 is gone; Declined: HTTP 503"},
		"a group of likes": {Named{Chain: []Error{
			{Class: "AggregateError", Message: "All promises were rejected"}, gone, {Class: "Gone", Message: "order 2 is gone"},
		}}, "Gone", "order 1 is gone"},
		"a group with a message": {Named{Chain: []Error{{Class: "ExceptionGroup", Message: "checkout failed (2 sub-exceptions)"}, gone, declined}}, "ExceptionGroup", "checkout failed (2 sub-exceptions)"},
		"a group of a library": {Named{Chain: []Error{
			{Class: "ExceptionGroup", Message: "unhandled errors in a TaskGroup (2 sub-exceptions)"}, gone, declined,
		}}, "ExceptionGroup", "Gone: order 1 is gone; Declined: HTTP 503"},
		"a group of one": {Named{Chain: []Error{
			{Class: "ExceptionGroup", Message: "unhandled errors in a TaskGroup (1 sub-exception)"}, gone, declined, // which led to the member
		}}, "Gone", "order 1 is gone"},
		"a group that quotes its only member": {Named{Chain: []Error{
			{Class: "System.AggregateException", Message: "One or more errors occurred. (order 1 is gone)"}, gone, declined,
		}}, "Gone", "order 1 is gone"},
		"a group that quotes its members": {Named{Chain: []Error{
			{Class: "System.AggregateException", Message: "One or more errors occurred. (order 1 is gone) (HTTP 503)"}, gone, declined,
		}}, "System.AggregateException", "Gone: order 1 is gone; Declined: HTTP 503"},
		"joined errors": {Named{Chain: []Error{{Class: "*errors.joinError", Message: "order 1 is gone\nHTTP 503"}, gone, declined}}, "*errors.joinError", "Gone: order 1 is gone; Declined: HTTP 503"},
		"many members": {Named{Chain: []Error{
			{Class: "CompositeException", Message: "5 exceptions occurred. "}, gone, declined, {Class: "A", Message: "a\nb"}, {Class: "B"}, {Class: "C"},
		}}, "CompositeException", "Gone: order 1 is gone; Declined: HTTP 503; A: a; 2 more"},
	} {
		if class, message := Title(c.named); class != c.class || message != c.message {
			t.Errorf("%s: %q %q, want %q %q", name, class, message, c.class, c.message)
		}
	}
}

// The title is that of the error that decides about the group, and no event is without one.
func TestTitleFollowsTheNews(t *testing.T) {
	t.Parallel()
	chain := []Error{{Class: "HandlerFailedException", Message: "Handling failed"}, {Class: "Bank\\Declined", Message: "HTTP 402"}, {Class: "Curl", Message: "28"}}
	class, message := Title(Named{Chain: chain})
	g := Locate(Event{ProjectID: 1, Chain: chain})
	if class != "Bank\\Declined" || message != "HTTP 402" || g.Class != class || g.Inside != "HandlerFailedException" {
		t.Errorf("%q %q, and the group is of %q inside %q", class, message, g.Class, g.Inside)
	}
}

func BenchmarkTitle(b *testing.B) {
	named := Named{Chain: []Error{{Class: "ActiveRecord::RecordNotFound", Message: "Couldn't find Order with 'id'=42"}}}
	b.ReportAllocs()
	for b.Loop() {
		Title(named)
	}
}
