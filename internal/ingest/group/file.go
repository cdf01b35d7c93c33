package group

import "strings"

// plainFile is the file of a frame without what differs between two machines, releases or builds of the same source. file is as fileName returns it.
func plainFile(file string) string {
	if file == "" || !hasAccident(file) {
		return file
	}
	parts := strings.Split(strings.TrimPrefix(file, "/"), "/")
	last := len(parts) - 1
	for i, part := range parts[:last] {
		switch {
		case i > 0 && isScratch(parts[i-1], i), isShard(part, parts[i+1:]):
			parts[i] = "*"
		default:
			parts[i] = withoutAccident(part)
		}
	}
	name, extension := cutExtension(parts[last])
	switch {
	case !isScript(parts[last]):
		name = withoutRandom(name, digestLength)
	default:
		name = withoutDigest(name, last > 0 && isBuilt(parts[last-1]))
	}
	parts[last] = name + extension
	joined := strings.Join(parts, "/")
	if strings.HasPrefix(file, "/") {
		return "/" + joined
	}
	return joined
}

// hasAccident reports whether a file may have what plainFile drops; most do not.
func hasAccident(file string) bool {
	return hasDigit(file) || isScript(file) || strings.Contains(file, "tmp/")
}

// isScratch reports whether programs make directories of random names in a directory, which is the nth of a path.
func isScratch(dir string, n int) bool { return dir == "tmp" && n <= 3 || dir == "temp" }

// isShard reports whether a directory is the beginning of the name of a file in it, as caches divide their files.
func isShard(dir string, below []string) bool {
	return len(dir) <= 2 && allHex(dir) && strings.HasPrefix(below[len(below)-1], dir)
}

// cutExtension cuts a name before its extension, which begins at its last dots: ".blade.php", ".js.map". A name that begins with a dot has it all.
func cutExtension(name string) (string, string) {
	for _, extension := range [...]string{".js.map", ".chunk.js", ".chunk.css", ".bundle.js", ".min.js"} {
		if before, ok := strings.CutSuffix(name, extension); ok {
			return before, extension
		}
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && len(name)-i <= 10 {
		return name[:i], name[i:]
	}
	return name, ""
}

// withoutAccident replaces words of the name of a directory that look random, and its version: "app-7d9f8b6c5-x2k4p", "kiosk-1.4.2".
func withoutAccident(s string) string {
	switch {
	case !hasDigit(s):
		return s
	case versionEnd(strings.TrimPrefix(s, "v"), 0) == len(strings.TrimPrefix(s, "v")):
		return versionMark
	case isToken(s):
		return "*"
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch end := alnumEnd(s, i); {
		case isDigit(s[i]) && b.Len() > 0 && versionEnd(s, i) > 0:
			b.WriteByte('*')
			i = versionEnd(s, i)
		case end > i && b.Len() > 0 && isRandom(s[i:end]):
			b.WriteByte('*')
			i = end
		case end > i:
			b.WriteString(s[i:end])
			i = end
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// versionMark stands for a directory that is named after a version and no more.
const versionMark = "<version>"

// tokenLength is how long ids of builds are at least.
const tokenLength = 16

// tokenParts is what part of an id may look like a word at most: one in so many.
const tokenParts = 4

// isToken reports whether the name of a directory is the id of a build, in which "-" and "_" may be letters: letters of both cases, and digits. A part of it may look like a
// word by chance, but not much.
func isToken(s string) bool {
	if len(s) < tokenLength || !mixedDigest(letters(s)) {
		return false
	}
	typed := 0
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(word) > 3 && looksTyped(word) {
			typed += len(word)
		}
	}
	return typed*tokenParts <= len(s)
}

// versionEnd ends a version of two or more numbers that nothing but a sign follows; 0 if there is none.
func versionEnd(s string, at int) int {
	end, dots := digitsEnd(s, at), 0
	for end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		end, dots = digitsEnd(s, end+1), dots+1
	}
	if dots == 0 || alnumAt(s, end) {
		return 0
	}
	return end
}

// withoutRandom replaces words of a name that look random and are so long at least, as compilers of templates name what they make.
func withoutRandom(s string, least int) string {
	if !hasDigit(s) {
		return s // isRandom wants a digit
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		end := alnumEnd(s, i)
		if end == i {
			b.WriteByte(s[i])
			i++
			continue
		}
		if word := s[i:end]; len(word) >= least && isRandom(word) {
			b.WriteByte('*')
		} else {
			b.WriteString(word)
		}
		i = end
	}
	return b.String()
}

// isBuilt reports whether a directory is one into which bundlers write, by the names that they come with: there most names end in a digest.
func isBuilt(dir string) bool {
	switch dir {
	case "assets", "chunks", "immutable", "nodes", "entry", "pages", "_nuxt", "_astro", "_app", "static":
		return true
	}
	return false
}

// digestLength is how long the digests are that bundlers put behind the last "-" or "." of a name, in which "-" and "_" may be letters of theirs.
const digestLength = 8

// withoutDigest replaces the digest that a bundler put into the name of a script, which comes without its extension: at its end, as in
// "Cart-BxTkQzLm", "index-C-_qx3Bd" and "chunk-GQ5XJ2TD", or as all of it, as in "0cz1d0mv5g_q7". Digests may be without a digit; in a
// directory into which bundlers write, what is not in small letters is one.
func withoutDigest(s string, built bool) string {
	typed := looksTyped
	if built {
		typed = isLower
	}
	if at := len(s) - digestLength; at > 1 && (s[at-1] == '-' || s[at-1] == '.') && !typed(letters(s[at:])) {
		return withoutRandom(s[:at], 0) + "*"
	}
	if len(s) == digestLength && built && !looksTyped(letters(s)) && !isLower(letters(s)) {
		return "*"
	}
	if whole := letters(s); len(whole) > digestLength && len(s)-len(whole) <= 2 && turns(whole) >= 3 && !looksTyped(s[:alnumEnd(s, 0)]) {
		return "*"
	}
	return withoutRandom(s, 0)
}

// letters is a text without "-" and "_".
func letters(s string) string {
	if strings.IndexByte(s, '-') < 0 && strings.IndexByte(s, '_') < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}, s)
}

// isLower reports whether a word has nothing but small letters.
func isLower(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// isRandom reports whether a word looks like a digest or a random id.
func isRandom(s string) bool {
	switch {
	case hexWord(s):
		return true
	case mixedDigest(s) && !looksTyped(s):
		return true
	case len(s) >= 5 && turns(s) >= 3:
		return true
	default:
		return len(s) >= digestLength && turns(s) >= 1 && !looksTyped(s)
	}
}

// turns counts how often a word changes between letters and digits.
func turns(s string) (n int) {
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			n++
		}
	}
	return n
}

// looksTyped reports whether a person may have written a word: it is made of words that can be spoken, in camel case or not, with digits at its end
// at most. Eight capitals are none: that is how esbuild writes a digest.
func looksTyped(s string) bool {
	if len(s) == digestLength && strings.ToUpper(s) == s {
		return false
	}
	s = strings.TrimRight(s, "0123456789")
	if len(s) < 3 || hasDigit(s) {
		return false
	}
	for short := 0; len(s) > 0; {
		end := 1
		for end < len(s) && 'a' <= s[end] && s[end] <= 'z' {
			end++
		}
		if end == 1 { // capitals, such as the "API" of "UserAPI"
			for end < len(s) && 'A' <= s[end] && s[end] <= 'Z' {
				end++
			}
			if end < len(s) {
				end--
			}
		}
		if end <= 2 {
			short++
		}
		if end < 2 || short > 1 || !speakable(s[:end]) {
			return false
		}
		s = s[end:]
	}
	return true
}

// speakable reports whether a word has a vowel and no five consonants in a row, or is of two or three letters and may be an abbreviation.
func speakable(s string) bool {
	s = strings.ToLower(s)
	if len(s) <= 3 {
		return true
	}
	row, vowels := 0, 0
	for i := range len(s) {
		if strings.IndexByte("aeiouy", s[i]) >= 0 {
			row, vowels = 0, vowels+1
		} else if row++; row >= 5 {
			return false
		}
	}
	return vowels > 0
}
