package ascode

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Add puts a thing of the server into parent, as the API shows it, and returns it. A thing that files cannot have is nil.
func (t *Thing) Add(kind *Kind, raw map[string]any) *Thing {
	if !kind.has(raw) {
		return nil
	}
	made := &Thing{Kind: kind, ID: idOf(raw["id"]), Parent: t, raw: raw}
	t.Things = append(t.Things, made)
	return made
}

// has reports whether files can have a thing.
func (k *Kind) has(raw map[string]any) bool {
	switch k.Name {
	case "keys": // one without a label is that of the project itself; one that ends was replaced
		return raw["label"] != nil && raw["ends_at"] == nil && raw["scope"] == "all"
	case "maintenance_windows": // one without an end is ended by hand
		return raw["until_ended"] == false && raw["state"] != "ended"
	}
	return true
}

// InOrder returns things of a list of the API in the order in which they were made; keys by their labels.
func (k *Kind) InOrder(list []map[string]any) []map[string]any {
	switch k.Name {
	case "maintenance_windows": // whose list has the newest first
		slices.Reverse(list)
	case "keys": // whose list is random for those of one moment
		slices.SortStableFunc(list, func(a, b map[string]any) int { return strings.Compare(k.named(a), k.named(b)) })
	}
	return list
}

// Says reports whether files say something about the things of a kind in t.
func (t *Thing) Says(kind *Kind) bool {
	return slices.ContainsFunc(t.Things, func(inside *Thing) bool { return inside.Kind == kind })
}

// Call gives the things of a server their keys: those by which files call them, or else one made of their names.
func Call(root *Thing, state State) {
	bound := map[string]string{} // keys by kind and id
	for path, b := range state.Things {
		parts := strings.Split(path, "/")
		if len(parts)%2 == 0 && b.ID != "" {
			bound[parts[len(parts)-2]+":"+b.ID] = parts[len(parts)-1]
		}
	}
	call(root, bound)
}

func call(parent *Thing, bound map[string]string) {
	used := map[string]bool{}
	for _, t := range parent.Things {
		if key, ok := bound[t.Kind.Name+":"+t.ID]; ok && t.ID != "" {
			t.Key = key
			used[t.Kind.Name+"/"+key] = true
		}
	}
	for _, t := range parent.Things {
		if t.Kind.Single {
			t.Key = t.Kind.Name
		}
		if t.Key == "" {
			t.Key = freeKey(used, t.Kind.Name, keyOf(t.RawName()))
		}
		call(t, bound)
	}
}

// RawName is what people call a thing of a server, before it has fields.
func (t *Thing) RawName() string {
	if t.Kind.named == nil {
		return ""
	}
	return t.Kind.named(t.raw)
}

// freeKey returns the key, with a number if another thing has it.
func freeKey(used map[string]bool, kind, key string) string {
	if key == "" {
		key = strings.TrimSuffix(kind, "s")
	}
	free := key
	for n := 2; used[kind+"/"+free]; n++ {
		free = fmt.Sprintf("%s-%d", key, n)
	}
	used[kind+"/"+free] = true
	return free
}

// keyOf makes a key of a name.
func keyOf(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// Fill sets the fields of the things of a server, as files have them.
func Fill(root *Thing) {
	names := NewNames(root)
	for _, t := range root.All() {
		t.Fields = map[string]any{}
		for _, f := range t.Kind.Fields {
			if v := f.value(t, names); v != nil {
				t.Fields[f.Name] = v
			}
		}
	}
}

// over reports whether a maintenance window in a file has ended.
func over(t *Thing, now time.Time) bool {
	return t.Kind.Name == "maintenance_windows" && past(t.Fields["ends_at"], now)
}

// past reports whether a value is a time that has passed.
func past(v any, now time.Time) bool {
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339, text)
	return err == nil && !at.After(now)
}
