// Package example reads the examples of documents, for tests that run them. A page in Markdown comes in; its blocks of
// code go out, fenced or indented, in their order, each with the heading above it and its line in the page. It runs
// nothing, and does not judge what a block says.
package example

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Block is a block of code.
type Block struct {
	Part     string // the heading above it
	Line     int    // of the page, where its text begins
	Language string // "": indented, or none is named
	Text     string
}

// Blocks returns the blocks of a page.
func Blocks(page []byte) (blocks []Block) {
	part := ""
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(page)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			part = string(n.Lines().Value(page))
		case *ast.FencedCodeBlock:
			blocks = append(blocks, newBlock(page, part, string(n.Language(page)), n.Lines()))
		case *ast.CodeBlock:
			blocks = append(blocks, newBlock(page, part, "", n.Lines()))
		}
		return ast.WalkContinue, nil
	}) // it never fails
	return blocks
}

func newBlock(page []byte, part, language string, lines *text.Segments) Block {
	b := Block{Part: part, Language: language, Text: string(lines.Value(page))}
	if lines.Len() > 0 {
		b.Line = 1 + bytes.Count(page[:lines.At(0).Start], []byte("\n"))
	}
	return b
}

// Shell returns the texts of the blocks for a shell.
func Shell(page []byte) (texts []string) {
	for _, b := range Blocks(page) {
		if b.Language == "sh" {
			texts = append(texts, b.Text)
		}
	}
	return texts
}
