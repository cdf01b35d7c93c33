package group

import "strings"

// locate is what the rule uses of a frame: nothing of it depends on the machine, the visitor's address bar, the
// browser, or which build of the same source is running.
func locate(f *Frame) Frame {
	if f == nil {
		return Frame{}
	}
	return Frame{File: fileName(f.File), Method: methodName(f.Method), Line: strings.TrimSpace(f.Line)}
}

// fileName is a frame's file with forward slashes, relative to the project where the client marked its root. Of an
// address only the path counts: one script is served from many hosts, ports and tenants. Parts of the path that only
// name a build, a release or a record become "*".
func fileName(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), `\`, "/")
	if _, address, ok := strings.Cut(s, "://"); ok {
		s, _, _ = strings.Cut(address, "#")
		s, _, _ = strings.Cut(s, "?")
		_, path, _ := strings.Cut(s, "/")
		s = "/" + strings.TrimPrefix(path, "./") // "webpack:///./src/a.js"
	}
	s, _, _ = strings.Cut(s, "?") // a build's mark, as in "src/app.vue?3f2a"
	s = strings.TrimPrefix(s, "[PROJECT_ROOT]/")
	return cleanPath(s)
}

// cleanPath drops empty and "." segments and replaces opaque ones. A leading slash stays.
func cleanPath(s string) string {
	if !hasDigit(s) && !strings.Contains(s, "//") && !strings.Contains(s, "./") && !strings.HasSuffix(s, "/") && !strings.HasSuffix(s, "/.") && s != "." {
		return s // as most are: what is opaque has a digit
	}
	var b strings.Builder
	b.Grow(len(s))
	if strings.HasPrefix(s, "/") {
		b.WriteByte('/')
	}
	first := true
	for segment := range strings.SplitSeq(s, "/") {
		if segment == "" || segment == "." {
			continue
		}
		if !first {
			b.WriteByte('/')
		}
		first = false
		if opaque(segment) {
			segment = "*"
		}
		b.WriteString(segment)
	}
	path := b.String()
	slash := strings.LastIndexByte(path, '/')
	return path[:slash+1] + scriptName(path[slash+1:])
}

// opaque reports whether a segment of a path is a number, a digest or a UUID, as in "releases/20261007211240" or, for
// a script within a page, "orders/1234".
func opaque(segment string) bool {
	return allDigits(segment) || hexWord(segment) || (len(segment) == uuidLength && uuidEnd(segment, 0) > 0)
}

// scriptName is the name of a file without the digest of its content that bundlers put in the names of scripts:
// "app-3f2a9c.js" and "chunk.BxT3k9Qz.js" are "app-*.js" and "chunk.*.js". Other files' names mean what they say.
func scriptName(s string) string {
	if !isScript(s) {
		return s
	}
	var b strings.Builder
	for rest := s; ; {
		end := strings.IndexAny(rest, ".-_")
		part := rest
		if end >= 0 {
			part = rest[:end]
		}
		if hexWord(part) || (b.Len() > 0 && mixedDigest(part)) {
			part = "*"
		}
		b.WriteString(part)
		if end < 0 {
			return b.String()
		}
		b.WriteByte(rest[end])
		rest = rest[end+1:]
	}
}

func isScript(s string) bool {
	switch extensionOf(s) {
	case ".js", ".mjs", ".cjs", ".css", ".wasm", ".map", ".bundle":
		return true
	}
	return false
}

// extensionOf is what a file ends in, from its last dot.
func extensionOf(file string) string { return file[max(0, strings.LastIndexByte(file, '.')):] }

// hexWord reports whether s looks like part of a digest: six or more hexadecimal digits, one of them decimal, so that
// words such as "facade" are none.
func hexWord(s string) bool {
	decimal := false
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
		decimal = decimal || isDigit(s[i])
	}
	return decimal && len(s) >= 6
}

// mixedDigest reports whether s looks like a digest in base 64: eight or more letters of both cases and digits.
func mixedDigest(s string) bool {
	var upper, lower, digit bool
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digit = true
		case 'A' <= c && c <= 'Z':
			upper = true
		case 'a' <= c && c <= 'z':
			lower = true
		default:
			return false
		}
	}
	return upper && lower && digit && len(s) >= 8
}

// methodName is a frame's method, or "" where it has no name of its own. Browsers write that differently for the same
// function. Names that are stable for the same code, such as Ruby's "block (2 levels) in show", stay as they are.
func methodName(s string) string {
	s = strings.TrimSpace(s)
	s, _, _ = strings.Cut(s, " [as ") // V8: the alias that it was called by
	s = strings.TrimSuffix(s, ".<anonymous>")
	switch s {
	case "?", "<unknown>", "<anonymous>", "anonymous", "(anonymous)", "(anonymous function)":
		return ""
	}
	if strings.HasPrefix(s, "0x") && hexEnd(s, 0) > 0 {
		return "" // a native frame without symbols: where it was loaded this time
	}
	return withoutTemplateID(s)
}

// withoutTemplateID cuts the hash and object id off the method that Rails compiles a template to, as in
// "_app_views_orders_show_html_erb___3040598738223_70130": they differ in every process.
func withoutTemplateID(s string) string {
	name := strings.TrimRight(s, "_0123456789")
	if tail := s[len(name):]; name != "" && len(tail) >= 10 && strings.HasPrefix(tail, "__") {
		return name
	}
	return s
}
