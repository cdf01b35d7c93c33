package group

import "testing"

func TestTheNewsOfAChain(t *testing.T) {
	t.Parallel()
	frame := &Frame{File: "cart.py", Method: "pay", Line: "31"}
	slow := Error{Class: "TimeoutError", Message: "no answer in 5 s", App: frame}
	full := Error{Class: "OSError", Message: "[Errno 28] No space left on device", App: frame}
	group := Error{Class: "ExceptionGroup", Message: "2 errors"}
	for name, c := range map[string]struct {
		chain                 []Error
		class, causes, inside string
	}{
		"an error alone":                    {[]Error{slow}, "TimeoutError", "", ""},
		"a wrapper":                         {[]Error{{Class: "java.util.concurrent.ExecutionException"}, slow}, "TimeoutError", "", "java.util.concurrent.ExecutionException"},
		"two wrappers":                      {[]Error{{Class: "ExecutionException"}, {Class: "CompletionException"}, slow}, "TimeoutError", "", "ExecutionException\nCompletionException"},
		"the message of its cause":          {[]Error{{Class: "RuntimeException", Message: "failed: no answer in 5 s"}, slow}, "TimeoutError", "", "RuntimeException"},
		"an error with news of its own":     {[]Error{{Class: "RuntimeException", Message: "cannot pay"}, slow}, "RuntimeException", "TimeoutError", ""},
		"a cause with a code":               {[]Error{{Class: "PaymentFailed", Message: "cannot pay"}, full}, "PaymentFailed", "OSError: 28", ""},
		"a group":                           {[]Error{group, slow, full}, "OSError", "TimeoutError", "ExceptionGroup"},
		"a group in another order":          {[]Error{group, full, slow}, "OSError", "TimeoutError", "ExceptionGroup"},
		"a group with one of them twice":    {[]Error{group, slow, full, slow}, "OSError", "TimeoutError", "ExceptionGroup"},
		"a group of groups":                 {[]Error{group, {Class: "AggregateError"}, slow}, "TimeoutError", "AggregateError", "ExceptionGroup"},
		"a cause of which nothing is known": {[]Error{{Class: "ExecutionException"}, {}}, "ExecutionException", "", ""},
	} {
		news, causes, inside := newsOf(c.chain)
		if news.Class != c.class || causes != c.causes || inside != c.inside {
			t.Errorf("%s: %s, causes %q, inside %q; want %s, %q, %q", name, news.Class, causes, inside, c.class, c.causes, c.inside)
		}
	}
	if news, _, _ := newsOf([]Error{{Class: "ExecutionException", App: frame}, {Class: "TimeoutError"}}); news.App != frame {
		t.Error("a cause without frames has not those of its wrapper")
	}
}
