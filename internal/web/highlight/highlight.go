// Package highlight distinguishes the words of source code. It splits a few lines of a file as a
// client reported them, which may be anything, into pieces with kinds. If that would take too long, it
// returns them unchanged. It changes no character and writes no HTML.
package highlight

import (
	"crypto/sha256"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Piece is a part of a line.
type Piece struct {
	Kind Kind
	Text string
}

// Kind is what a piece is; pages use it as a class.
type Kind string

// The kinds.
const (
	Plain   Kind = ""
	Keyword Kind = "hk"
	String  Kind = "hs"
	Comment Kind = "hc"
	Number  Kind = "hn"
	Name    Kind = "hf" // of a function, class, constant or decorator
)

// lexerOf are the languages by the endings of file names.
var lexerOf = map[string]string{
	".rb": "ruby", ".rake": "ruby", ".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript", ".ts": "typescript",
	".tsx": "typescript", ".go": "go", ".java": "java", ".kt": "kotlin", ".php": "php", ".ex": "elixir", ".exs": "elixir", ".cs": "c#", ".rs": "rust",
	".swift": "swift", ".scala": "scala", ".c": "c", ".cc": "c++", ".cpp": "c++",
}

// Bounds of one page, and of what is remembered.
const (
	mostFresh  = 6                      // frames that are read for a page; those that are remembered come on top
	mostTime   = 100 * time.Millisecond // until the rest of a page stays plain; one expression may take a quarter of a second more
	mostPieces = 1500                   // pieces that are not plain
	mostBytes  = 8 << 10                // of the lines of one frame
	mostKept   = 4 << 20                // bytes of lines that are remembered
)

// Highlighter remembers lines, as the same errors are opened again and again.
type Highlighter struct {
	Now func() time.Time

	mu    sync.Mutex
	ready map[string]bool                 // languages whose expressions are compiled
	kept  map[[sha256.Size]byte][][]Piece // nil: they stay plain
	bytes int
}

// Page is the highlighting of one page, within its bounds.
type Page struct {
	of       *Highlighter
	until    time.Time
	fresh    int // frames that were read, and not only recalled
	coloured int
}

// Page begins a page.
func (h *Highlighter) Page() *Page { return &Page{of: h, until: h.Now().Add(mostTime)} }

// Lines returns the pieces of each line of a file, or nil if they stay plain: the language is not known, the lines are too long, or the
// page has reached its bounds.
func (p *Page) Lines(file string, lines []string) [][]Piece {
	language := lexerOf[strings.ToLower(path.Ext(file))]
	text := strings.Join(lines, "\n") + "\n"
	if language == "" || len(lines) == 0 || len(text) > mostBytes || p.coloured >= mostPieces {
		return nil
	}
	key := sha256.Sum256([]byte(language + "\n" + text))
	pieces, known := p.of.recall(key)
	if !known {
		if p.fresh >= mostFresh || !p.of.Now().Before(p.until) {
			return nil
		}
		p.prepare(language)
		p.fresh++
		first := p.fresh == 1
		var complete bool
		if pieces, complete = p.read(language, text, len(lines)); complete || first { // what takes the time of a whole page is not tried again
			p.of.keep(key, pieces, len(text))
		}
	}
	for _, line := range pieces {
		for _, piece := range line {
			if piece.Kind != Plain {
				p.coloured++
			}
		}
	}
	return pieces
}

// prepare compiles the expressions of a language, once. That takes far longer than to read some lines, and is no time of the page.
func (p *Page) prepare(language string) {
	h := p.of
	h.mu.Lock()
	ready := h.ready[language]
	if h.ready == nil {
		h.ready = map[string]bool{}
	}
	h.ready[language] = true
	h.mu.Unlock()
	if lexer := lexers.Get(language); !ready && lexer != nil {
		from := h.Now()
		_, _ = lexer.Tokenise(nil, "\n") // errors are those of the lines that follow
		p.until = p.until.Add(h.Now().Sub(from))
	}
}

func (h *Highlighter) recall(key [sha256.Size]byte) (pieces [][]Piece, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	pieces, known = h.kept[key]
	return pieces, known
}

// keep remembers pieces, and forgets all others when there are too many.
func (h *Highlighter) keep(key [sha256.Size]byte, pieces [][]Piece, size int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	const overhead = 16 // times the text, about what its pieces take
	if h.bytes += overhead * size; h.kept == nil || h.bytes > mostKept {
		h.kept, h.bytes = map[[sha256.Size]byte][][]Piece{}, overhead*size
	}
	h.kept[key] = pieces
}

// read splits a text into the pieces of its lines; it is not complete if the time of the page ended before. What the library makes of
// hostile text is only used if it is the same text.
func (p *Page) read(language, text string, lines int) (pieces [][]Piece, complete bool) {
	defer func() {
		if recover() != nil {
			pieces, complete = nil, true
		}
	}()
	lexer := lexers.Get(language)
	if lexer == nil {
		return nil, true
	}
	before := openings[language]
	text, lines = before+text, lines+strings.Count(before, "\n")
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil, true
	}
	var whole strings.Builder
	pieces = make([][]Piece, 1, lines+1)
	for token := tokens(); token != chroma.EOF; token = tokens() {
		if !p.of.Now().Before(p.until) {
			return nil, false
		}
		whole.WriteString(token.Value)
		pieces = add(pieces, kindOf(token.Type), token.Value)
	}
	if whole.String() != text || len(pieces) != lines+1 {
		return nil, true
	}
	return pieces[strings.Count(before, "\n"):lines], true
}

// openings are what comes before the lines of a language: a file of PHP begins with HTML.
var openings = map[string]string{"php": "<?php\n"}

// add adds a token, which may have several lines. Neighbours of the same kind are one piece.
func add(pieces [][]Piece, kind Kind, text string) [][]Piece {
	for n, part := range strings.Split(text, "\n") {
		if n > 0 {
			pieces = append(pieces, nil)
		}
		last := &pieces[len(pieces)-1]
		as := kind
		if strings.TrimSpace(part) == "" {
			as = Plain
		}
		switch end := len(*last) - 1; {
		case part == "":
		case end >= 0 && (*last)[end].Kind == as:
			(*last)[end].Text += part
		default:
			*last = append(*last, Piece{as, part})
		}
	}
	return pieces
}

func kindOf(t chroma.TokenType) Kind {
	switch {
	case t == chroma.NameFunction || t == chroma.NameClass || t == chroma.NameConstant || t == chroma.NameDecorator || t == chroma.NameNamespace:
		return Name
	case t.InCategory(chroma.Keyword) || t == chroma.OperatorWord:
		return Keyword
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	}
	return Plain
}
