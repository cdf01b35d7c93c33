package prose

import (
	"regexp"
	"strings"
)

var (
	fence = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	code  = regexp.MustCompile("`[^`]*`")
	link  = regexp.MustCompile(`\]\([^)]*\)`)
	tag   = regexp.MustCompile(`<[a-z/][^>]*>`)
	item  = regexp.MustCompile(`^\s*([-*]|\d+\.)\s`)
)

// Blocks returns the texts of a page in Markdown: its paragraphs, the items of its lists and the cells of its tables. Code counts as one word.
func Blocks(markdown string) []string {
	markdown = tag.ReplaceAllString(markdown, "\n\n")
	markdown = link.ReplaceAllString(code.ReplaceAllString(fence.ReplaceAllString(markdown, "\n"), "code"), "]")
	var blocks []string
	begin := true
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "|"):
			blocks, begin = append(blocks, strings.Split(line, "|")...), true
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			begin = true
		case begin || item.MatchString(line):
			blocks, begin = append(blocks, line), false
		default:
			blocks[len(blocks)-1] += " " + strings.TrimSpace(line)
		}
	}
	return blocks
}
