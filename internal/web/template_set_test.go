package web

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// A page is parsed when it is first rendered, with the parts that it uses and no others.
func TestPagesHaveOnlyTheirParts(t *testing.T) {
	t.Parallel()
	s := newTemplateSets((&Pages{}).functions())
	if err := s.add(templateFiles); err != nil {
		t.Fatal(err)
	}
	if len(s.sets) != 0 {
		t.Errorf("%d pages were parsed before they were rendered", len(s.sets))
	}
	common, err := s.common()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := fs.Glob(templateFiles, "page/*.html")
	if len(files) == 0 {
		t.Fatal("the frame has no page")
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".html")
		set, err := s.set(name, "layout")
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := s.set(name, "layout"); again != set {
			t.Errorf("%s is read each time", name)
		}
		if n := len(set.Templates()); n >= len(common) {
			t.Errorf("%s has %d templates, and all parts are %d", name, n, len(common))
		}
		for _, each := range set.Templates() {
			if common[each.Name()] != nil && each.Tree == common[each.Name()] {
				t.Errorf("%s shares the tree of %s, which rendering changes", name, each.Name())
			}
		}
	}
	if _, err := s.set("none", "layout"); err == nil || !strings.Contains(err.Error(), `there is no page "none"`) {
		t.Errorf("a page that is not there: %v", err)
	}
	if _, err := s.set(strings.TrimSuffix(path.Base(files[0]), ".html"), "none"); err == nil {
		t.Error("a part that is not there was found")
	}
	if err := s.add(templateFiles); err == nil {
		t.Error("two rooms have the same page")
	}
}
