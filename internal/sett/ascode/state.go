package ascode

import (
	"maps"
	"slices"
	"strings"

	"sett/internal/sett/accounts"
)

// State is what a server keeps of files that were applied, for files with the name Set: which things they made, by their paths.
type State struct {
	Set    string
	Salt   string // of fingerprints
	Things map[string]accounts.ConfiguredThing
}

// Bind notes that files say t, and that the server has done so. A thing about which they say nothing stays with the files that say something.
func (s *State) Bind(t *Thing) {
	if other, ok := s.Things[t.Path()]; ok && other.Set != s.Set && len(t.Fields) == 0 {
		return
	}
	s.Things[t.Path()] = accounts.ConfiguredThing{ID: t.ID, Set: s.Set, Fields: slices.Sorted(maps.Keys(t.Fields)), Secrets: t.fingerprints(s.Salt)}
}

// Forget notes that a thing is gone, with all that was in it.
func (s *State) Forget(t *Thing) {
	maps.DeleteFunc(s.Things, func(path string, _ accounts.ConfiguredThing) bool {
		return path == t.Path() || strings.HasPrefix(path, t.Path()+"/")
	})
}

// Has reports whether files made something at a path or below it.
func (s State) Has(path string) bool {
	for have := range s.Things {
		if have == path || strings.HasPrefix(have, path+"/") {
			return true
		}
	}
	return false
}

// Project returns the project of the files that a project of the server is, or nil.
func (s State) Project(wanted *Thing, id, name string) *Thing {
	for _, t := range wanted.Things {
		if bound, ok := s.Things[t.Path()]; t.Kind.Name == "projects" && (ok && bound.ID == id || !ok && t.Name() == name) {
			return t
		}
	}
	return nil
}
