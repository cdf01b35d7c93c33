// Package ascode is configuration as code: the files in which people write teams, projects and what is in them. In go the text of YAML files, and
// things as the API of a server shows them; out come checked things with their places, the steps after which the server agrees with the files, what
// people read of these, and files of what there is. It opens no file, asks no server, and keeps of a secret a fingerprint alone.
package ascode

import (
	"fmt"
	"strings"
)

// Thing is something that files or a server have: a project, a site, the ownership rules of a project. Its values are those of JSON, under the
// names of files.
type Thing struct {
	Kind   *Kind
	Key    string // by which files call it, unique among its kind in its parent
	ID     string // on the server; "" where it has none
	Parent *Thing // nil for the root
	Place  Place
	Fields map[string]any
	Things []*Thing // in it, in order

	places map[string]Place // of its fields
	raw    map[string]any   // as the API shows it
}

// Place is where something is written.
type Place struct {
	File         string
	Line, Column int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Problem is something wrong with the files.
type Problem struct {
	Place Place
	What  string // with what to do
}

func (p Problem) Error() string { return p.Place.String() + ": " + p.What }

// Path names a thing among all: projects/shop/sites/front, projects/shop/ownership.
func (t *Thing) Path() string {
	if t.Parent == nil {
		return ""
	}
	parts := []string{t.Kind.Name, t.Key}
	if t.Kind.Single {
		parts = parts[:1]
	}
	return strings.TrimPrefix(t.Parent.Path()+"/"+strings.Join(parts, "/"), "/")
}

// Called names a thing in a plan: site shop/front.
func (t *Thing) Called() string {
	switch {
	case t.Kind.Single:
		return t.Kind.One + " of " + t.Parent.Called()
	case t.Parent.Parent != nil:
		return t.Kind.One + " " + t.Parent.Key + "/" + t.Key
	}
	return t.Kind.One + " " + t.Key
}

// Name is what people call the thing, if that differs from its key; "" if not.
func (t *Thing) Name() string {
	if t.Kind.named == nil {
		return ""
	}
	return t.Kind.named(t.Fields)
}

// All returns the things in t, each before those in it.
func (t *Thing) All() (all []*Thing) {
	for _, inside := range t.Things {
		all = append(append(all, inside), inside.All()...)
	}
	return all
}

// find returns the thing of a kind with a key in t, or nil.
func (t *Thing) find(kind *Kind, key string) *Thing {
	for _, inside := range t.Things {
		if inside.Kind == kind && inside.Key == key {
			return inside
		}
	}
	return nil
}

// placeOf returns where a field is written.
func (t *Thing) placeOf(field string) Place {
	if p, ok := t.places[field]; ok {
		return p
	}
	return t.Place
}

// Names finds things by their ids and paths.
type Names struct {
	paths map[string]string // of kind:id
	ids   map[string]string // of paths
}

// NewNames returns the names of all things in root that the server has.
func NewNames(root *Thing) *Names {
	n := &Names{map[string]string{}, map[string]string{}}
	for _, t := range root.All() {
		n.Add(t.Kind, t.Path(), t.ID)
	}
	return n
}

// Add notes which id a thing has.
func (n *Names) Add(kind *Kind, path, id string) {
	if id != "" {
		n.paths[kind.Name+":"+id] = path
		n.ids[path] = id
	}
}

// ID returns the id of the thing with a path; "" if the server has none.
func (n *Names) ID(path string) string { return n.ids[path] }

// Section returns the part of a root that one project or the account itself makes, for a file of its own.
func (t *Thing) Section(in func(*Thing) bool) *Thing {
	part := &Thing{Kind: t.Kind}
	for _, inside := range t.Things {
		if in(inside) {
			part.Things = append(part.Things, inside)
		}
	}
	return part
}
