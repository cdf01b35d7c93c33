package web

import (
	"net/http/httptest"
	"testing"
)

// What a spreadsheet would compute is a text.
func TestCSV(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	err := WriteCSV(w, "errors.csv", [][]string{{"class", "n"}, {"=1+1", "+1"}, {"@x", "-1"}, {"\tx", "a=b"}, {"a,b", ""}, {" =1", "＝1"}, {" - ", "\n=1"}, {"\u3000@x", " x"}})
	if want := "class,n\n'=1+1,'+1\n'@x,'-1\n'\tx,a=b\n\"a,b\",\n' =1,'＝1\n' - ,\"'\n=1\"\n'\u3000@x,\" x\"\n"; err != nil || w.Body.String() != want {
		t.Errorf("%v, %q, want %q", err, w.Body, want)
	}
	for name, want := range map[string]string{"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="errors.csv"`, "Cache-Control": "no-store"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
