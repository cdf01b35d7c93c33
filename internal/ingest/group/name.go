package group

import "strings"

// plainName is the name of a function or class without what a compiler or a runtime makes up, and counts, hashes or addresses: the same source
// gives the same name in the next build, after a restart, and in another engine. It goes by the shape of a name, so that it need not know who made
// it. A name of which nothing is left is "": a function without a name of its own.
func plainName(s string) string {
	s = withoutCall(strings.TrimSpace(s))
	if i := strings.Index(s, "->"); i > 0 && strings.IndexByte(s, '(') < 0 {
		s = s[:i] + "::" + s[i+2:] // PHP's traces, as its clients write it
	}
	if isNameless(s) {
		return ""
	}
	if isSimple(s) {
		return s
	}
	for _, step := range nameSteps {
		s = step(s)
	}
	return s
}

// nameSteps are tried in this order; each leaves alone what does not have its shape.
var nameSteps = [...]func(string) string{
	withoutFile, compiledTemplate, closure, withoutOptimizer, withoutGenerated, stateMachine, withoutCounts, lambda, withoutHashes, withoutAdapter,
}

// isSimple reports whether a name has none of the signs that the steps look for, as most have not.
func isSimple(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && c != '.' && c != ':' && c != '#' && c != '/' && c != '\\' && c != '!' && c != '?' && (c != '_' || i == 0) {
			return false
		}
	}
	return !strings.HasSuffix(s, ".cold")
}

// withoutCall cuts off how a JavaScript function was called, which engines say and others do not: "async pay", "new Cart", "pay [as onClick]".
func withoutCall(s string) string {
	s, _, _ = strings.Cut(s, " [as ")
	for _, how := range [...]string{"async ", "async*", "new ", "get ", "set "} {
		s = strings.TrimPrefix(s, how)
	}
	if how, name, ok := strings.Cut(s, "*"); ok && (strings.HasSuffix(how, " callback") || strings.HasSuffix(how, " handler")) {
		return name // Firefox: "promise callback*pay"
	}
	return s
}

// isNameless reports whether a name says that there is none.
func isNameless(s string) bool {
	switch s {
	case "", "?", "??", "<unknown>", "unknown", "<anonymous>", "anonymous", "(anonymous)", "(anonymous function)", "Anonymous function", "{anonymous}",
		"<fn>", "global code", "module code", "eval code", "eval", "<global>", "<eval>", "null", "undefined", "**unknown**", "MoveNext":
		return true
	}
	return strings.HasPrefix(s, "0x") && hexEnd(s, 0) > 0 || strings.HasSuffix(s, "/<") || strings.HasSuffix(s, ".<anonymous>") || strings.HasSuffix(s, ".<fn>")
}

// withoutFile cuts out the path that PHP writes into the name of a class without a name, behind NUL, which not all clients can send.
func withoutFile(s string) string {
	before, rest, ok := strings.Cut(s, "@anonymous")
	if !ok {
		return s
	}
	before += "@anonymous"
	if i := strings.LastIndex(rest, "::"); i >= 0 {
		return before + rest[i:]
	}
	return before
}

// compiledTemplate is a function that Rails compiled a template to, whose name has the path of the file, and numbers of the process: the file says more.
func compiledTemplate(s string) string {
	if !strings.HasPrefix(s, "_") {
		return s
	}
	for _, mark := range [...]string{"_erb__", "_haml__", "_slim__", "_builder__", "_jbuilder__", "_ruby__"} {
		if strings.Contains(s, mark) {
			return ""
		}
	}
	return s
}

// closure is PHP's name of a function without one, which had its class before it, and since PHP 8.4 has what is around it within: "{closure:Cart::pay():12}".
func closure(s string) string {
	if i := strings.Index(s, "{closure"); i >= 0 && strings.HasSuffix(s, "}") && !strings.HasPrefix(s[i:], "{closure#") && !strings.HasSuffix(s, "}}") {
		return "{closure}"
	}
	return s
}

// madeOf come before the name of a function of which a compiler of Swift has made another one.
var madeOf = [...]string{"specialized ", "partial apply for ", "partial apply forwarder for ", "merged ", "reabstraction thunk helper from ", "protocol witness for "}

// withoutOptimizer cuts off what optimizing compilers put around the name of a function of which they make a part or a copy: "pay.part.0", "pay.cold", "specialized pay()",
// "(1) await resume partial function for pay()".
func withoutOptimizer(s string) string {
	if _, rest, ok := strings.Cut(s, " partial function for "); ok && strings.HasPrefix(s, "(") {
		s = rest
	}
	if _, rest, ok := strings.Cut(s, "> of "); ok && strings.HasPrefix(s, "generic specialization <") {
		s = rest
	}
	for _, prefix := range madeOf {
		s = strings.TrimPrefix(s, prefix)
	}
	for _, mark := range [...]string{".part.", ".isra.", ".constprop.", ".llvm.", ".cold", ".lto_priv.", " (.cold"} {
		if i := strings.Index(s, mark); i > 0 {
			s = s[:i]
		}
	}
	return s
}

// lambda gives a lambda of C++ one name, whatever its compiler calls it: "{lambda(int)#}", "$_", "'lambda'(int)".
func lambda(s string) string {
	if i := strings.Index(s, "{lambda("); i >= 0 {
		if end := strings.IndexByte(s[i:], '}'); end > 0 {
			return s[:i] + "$_" + s[i+end+1:]
		}
	}
	if i := strings.Index(s, "'lambda'("); i >= 0 {
		if end := strings.IndexByte(s[i:], ')'); end > 0 {
			return s[:i] + "$_" + s[i+end+1:]
		}
	}
	return s
}

// withoutGenerated cuts out what a program that writes classes puts behind "$$" into their names, as Spring, Hibernate and mocks do, up to the method.
// A lambda keeps that it is one.
func withoutGenerated(s string) string {
	for {
		i := strings.Index(s, "$$")
		for _, mark := range [...]string{"$HibernateProxy$", "$ByteBuddy$", "$MockitoMock$"} {
			if i < 0 {
				i = strings.Index(s, mark)
			}
		}
		if i < 0 {
			return s
		}
		end := len(s)
		if dot := strings.IndexByte(s[i:], '.'); dot >= 0 {
			end = i + dot
		}
		mark := ""
		if strings.HasPrefix(s[i:], "$$Lambda") {
			mark = "$Lambda"
		}
		s = s[:i] + mark + s[end:]
	}
}

// stateMachine is the function that C# compiled to a class or a function of another name, which stands between angle brackets there:
// "Cart.<PayAsync>d__12.MoveNext", "Cart.<>c__DisplayClass4_0.<Pay>b__1", "Cart.<Pay>g__Charge|12_0". Some clients cut the class off before ">".
func stateMachine(s string) string {
	for _, mark := range [...]string{">b__", ">d__", ">g__"} {
		outer, rest, ok := strings.Cut(s, mark)
		if !ok {
			continue
		}
		class := outer[:max(strings.IndexByte(outer, '<'), 0)]
		name := outer[strings.LastIndexByte(outer, '<')+1:]
		if local, _, ok := strings.Cut(rest, "|"); ok && mark == ">g__" {
			name += ">" + local
		}
		if class = strings.TrimRight(class, ".+"); class != "" {
			class += "."
		}
		return class + name
	}
	return s
}

// withoutCounts drops numbers behind the signs with which compilers count: "$1", "__12345", "#1", "func2.1", "|12_0".
func withoutCounts(s string) string {
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) && isCounter(s[:i]) {
			s = s[:i] + s[countEnd(s, i):]
			i--
		}
	}
	return s
}

// counters stand before a number that a compiler or a runtime counts up.
var counters = [...]string{"$", "__", "#", "|", "$_", ".func", ".gowrap", "$Proxy", "Accessor", "-fun-", "^", "level ", "levels ", "block (", "lambda_", "_closure", "@", "_callee", "{closure#"}

func isCounter(before string) bool {
	for _, c := range counters {
		if strings.HasSuffix(before, c) {
			return true
		}
	}
	return false
}

// countEnd ends a number of several parts, such as the "2.1" of Go's "func2.1" and the "12_0" of C#'s "g__Charge|12_0".
func countEnd(s string, at int) int {
	end := digitsEnd(s, at)
	for end+1 < len(s) && (s[end] == '.' || s[end] == '_' || s[end] == '-') && isDigit(s[end+1]) {
		end = digitsEnd(s, end+1)
	}
	return end
}

// withoutHashes replaces words of a name that look like a digest or an address.
func withoutHashes(s string) string {
	for i := 0; i < len(s); {
		end := alnumEnd(s, i)
		if end > i && isHashInName(s[i:end]) {
			s, end = s[:i]+"*"+s[end:], i+1
		}
		i = max(end, i+1)
	}
	return s
}

// isHashInName reports whether a word of a name is an address, such as Ruby's of a class without a name, or a digest, which Rust writes with "h" before it.
func isHashInName(word string) bool {
	if rest, ok := strings.CutPrefix(word, "0x"); ok {
		return hexWord(rest) || len(rest) >= 6 && allHex(rest)
	}
	if rest, ok := strings.CutPrefix(word, "h"); ok && len(rest) == 16 && allHex(rest) {
		return true
	}
	return len(word) >= 8 && hexWord(word)
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return s != ""
}

// withoutAdapter gives a function the name of what it stands for, where a compiler made two of one: Scala's that unbox, Clojure's with any number of arguments, Go's
// for defer and go, Rust's hash.
func withoutAdapter(s string) string {
	s = strings.TrimSuffix(s, "$adapted")
	s = strings.TrimSuffix(s, "::*")
	if strings.HasSuffix(s, "{closure#}") {
		s = strings.TrimSuffix(s, "{closure#}") + "{{closure}}"
	}
	for _, made := range [...]string{".gowrap", ".deferwrap", ".func"} {
		for strings.HasSuffix(s, ".func"+made) {
			s = strings.TrimSuffix(s, made)
		}
	}
	for _, made := range [...]string{".doInvoke", ".invokeStatic", ".invokePrim"} {
		if name, ok := strings.CutSuffix(s, made); ok && strings.IndexByte(name, '$') > 0 {
			return name + ".invoke"
		}
	}
	if s == "_callee" || s == "_callee$" {
		return ""
	}
	return s
}
