package serve

import "slices"

// Generators make no usable client of some constructs. These are refused here, so that no route or type brings them back. The clients of
// e2e/clients/generated found these.

// checkNames fails where one component is called as another with New before it: generated Go has a function of that name.
func (s *schemas) checkNames() {
	for name := range s.components {
		if s.components["New"+name] != nil {
			s.fail("New%s cannot stand beside %s: generators of Go clients make a function of that name", name, name)
		}
	}
}

// checkTypes fails where a schema in v takes several types, other than one or null, or is made of several. Generators
// give such a type the name of the place where they see it first, make one that holds nothing, or leave a part out.
func (s *schemas) checkTypes(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.checkTypes(e)
		}
	case []object:
		for _, e := range v {
			s.checkTypes(e)
		}
	case object:
		if types := typesOf(v); len(types) > 2 || len(types) == 2 && !slices.Contains(types, "null") {
			s.fail("a schema has the types %v: generators of clients make none that holds all of them", types)
		}
		for _, word := range []string{"allOf", "anyOf", "oneOf"} {
			if parts, is := v[word].([]any); is && (word != "anyOf" || !orNull(parts)) {
				s.fail("a schema is %s %v: generators of clients lose a part of it", word, parts)
			}
		}
		for _, e := range v {
			s.checkTypes(e)
		}
	}
}

// orNull reports whether the parts are a schema and null.
func orNull(parts []any) bool {
	if len(parts) != 2 {
		return false
	}
	null, ok := parts[1].(object)
	return ok && slices.Equal(typesOf(null), []string{"null"})
}
