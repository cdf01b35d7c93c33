package fault

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// branch is a value inside of a value, with what it contains.
type branch struct {
	Name     string // its key or index; "" for the whole value
	Path     string // as code writes it, such as cart.items[0].price
	Text     string // the value, shortened
	Filtered bool
	Leaves   []branch
	Fewer    int64 // that are not shown
}

// Bounds of the trees of a page; the event's JSON has all of them.
const (
	mostBranches = 400 // of all values together
	mostLevels   = 8
	longestPath  = 200
)

// growTrees gives the values of sections that contain others a tree, as long as there is room on the page.
func growTrees(sections []section) {
	room := mostBranches
	for _, s := range sections {
		for i := range s.Values {
			if one := &s.Values[i]; !one.Filtered && room > 0 {
				one.Tree = treeOf(s.ID+step(one.key), one.raw, &room)
			}
		}
	}
}

// treeOf returns a value with all that it contains, or nil if it is not an object or list with something in it.
func treeOf(path string, v any, room *int) *branch {
	tree := newBranch("", path, v, mostLevels, room)
	if len(tree.Leaves) == 0 {
		return nil
	}
	return &tree
}

// newBranch returns a value with its parts: at most room of them in all, and as deep as levels.
func newBranch(name, path string, v any, levels int, room *int) branch {
	b := branch{Name: cut(name, longestName), Path: cut(path, longestPath), Text: cut(strings.Join(strings.Fields(cut(show(v), longestValue)), " "), longestText)}
	b.Filtered = strings.EqualFold(b.Text, "[FILTERED]")
	if levels == 0 {
		return b
	}
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		b.grow(len(v), room, func(n int) branch {
			return newBranch(orWord(names[n], "(no name)"), path+step(names[n]), v[names[n]], levels-1, room)
		})
	case []any:
		b.grow(len(v), room, func(n int) branch {
			return newBranch(strconv.Itoa(n), fmt.Sprintf("%s[%d]", path, n), v[n], levels-1, room)
		})
	}
	return b
}

// grow adds the parts of a value as long as there is room.
func (b *branch) grow(parts int, room *int, part func(n int) branch) {
	for n := range parts {
		if *room--; *room < 0 {
			b.Fewer = int64(parts - n)
			return
		}
		b.Leaves = append(b.Leaves, part(n))
	}
}

// step returns a key as a part of a path: .name, or ["other name"].
func step(key string) string {
	plain := func(r rune) bool {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	if key != "" && !strings.ContainsFunc(key, func(r rune) bool { return !plain(r) }) {
		return "." + key
	}
	return "[" + strconv.Quote(key) + "]"
}
