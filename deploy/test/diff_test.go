package test

import "github.com/google/go-cmp/cmp"

// compare returns how two values differ.
func compare(want, got any) string { return cmp.Diff(want, got) }
