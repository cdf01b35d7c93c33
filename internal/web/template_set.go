package web

import (
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
	"text/template/parse"
)

// templateSets are the templates of all pages, each with the parts that it uses. A page is parsed when it is first rendered:
// many pages are rarely used, and all of them with every part in each took 15 MB.
type templateSets struct {
	functions template.FuncMap
	common    func() (map[string]*parse.Tree, error) // parts of all areas

	mu    sync.Mutex
	pages map[string]pageFile
	sets  map[setKey]*template.Template
}

// pageFile is the file of a page, with the parts of its area.
type pageFile struct {
	files fs.FS
	name  string
	parts func() (map[string]*parse.Tree, error)
}

// setKey identifies a set of templates by the page and the template to render.
type setKey struct{ page, root string }

func newTemplateSets(functions template.FuncMap) *templateSets {
	s := &templateSets{functions: functions, pages: map[string]pageFile{}, sets: map[setKey]*template.Template{}}
	s.common = sync.OnceValues(func() (map[string]*parse.Tree, error) { return s.read(templateFiles, "part/*.html") })
	return s
}

// add adds the pages of an area.
func (s *templateSets) add(files fs.FS) error {
	found, err := fs.Glob(files, "page/*.html")
	if err != nil {
		return fmt.Errorf("find pages: %w", err)
	}
	parts := sync.OnceValues(func() (map[string]*parse.Tree, error) { return s.read(files, "part/*.html") })
	for _, file := range found {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if s.pages[name].name != "" {
			return fmt.Errorf("two areas have a page %q", name)
		}
		s.pages[name] = pageFile{files, file, parts}
	}
	return nil
}

// read parses the files that match a pattern, if any.
func (s *templateSets) read(files fs.FS, pattern string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	if found, err := fs.Glob(files, pattern); err != nil || len(found) == 0 {
		return trees, err
	}
	read, err := template.New("").Funcs(s.functions).ParseFS(files, pattern)
	if err != nil {
		return nil, err
	}
	for _, t := range read.Templates() {
		if t.Tree != nil {
			trees[t.Name()] = t.Tree
		}
	}
	return trees, nil
}

// set returns the templates of a page that are needed to render root.
func (s *templateSets) set(page, root string) (*template.Template, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := setKey{page, root}
	if t := s.sets[key]; t != nil {
		return t, nil
	}
	file, ok := s.pages[page]
	if !ok {
		return nil, fmt.Errorf("there is no page %q", page)
	}
	trees, err := s.treesOf(file)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	t := template.New(root).Option("missingkey=error").Funcs(s.functions)
	if err := addReachable(t, root, trees); err != nil {
		return nil, fmt.Errorf("read page %s: %w", page, err)
	}
	s.sets[key] = t
	return t, nil
}

// treesOf returns all templates that a page can use; those of the page override those of its area, which override the common ones.
func (s *templateSets) treesOf(file pageFile) (map[string]*parse.Tree, error) {
	common, err := s.common()
	if err != nil {
		return nil, err
	}
	parts, err := file.parts()
	if err != nil {
		return nil, err
	}
	own, err := s.read(file.files, file.name)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(common)
	maps.Copy(all, parts)
	maps.Copy(all, own)
	return all, nil
}

// addReachable adds copies of a tree and of all trees that it uses: rendering changes them.
func addReachable(t *template.Template, name string, trees map[string]*parse.Tree) error {
	tree := trees[name]
	if tree == nil {
		return fmt.Errorf("there is no template %q", name)
	}
	if _, err := t.AddParseTree(name, tree.Copy()); err != nil {
		return err
	}
	for _, named := range namedIn(tree.Root) {
		if t.Lookup(named) == nil || t.Lookup(named).Tree == nil {
			if err := addReachable(t, named, trees); err != nil {
				return err
			}
		}
	}
	return nil
}

// namedIn returns the names of the templates that a node uses.
func namedIn(node parse.Node) (names []string) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, each := range n.Nodes {
			names = append(names, namedIn(each)...)
		}
	case *parse.TemplateNode:
		names = append(names, n.Name)
	case *parse.IfNode:
		names = append(namedIn(n.List), namedIn(n.ElseList)...)
	case *parse.RangeNode:
		names = append(namedIn(n.List), namedIn(n.ElseList)...)
	case *parse.WithNode:
		names = append(namedIn(n.List), namedIn(n.ElseList)...)
	}
	return names
}
