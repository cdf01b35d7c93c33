package event

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/faults"
)

// A report has what led to the error, without the error itself, each once and as long as it is kept.
func TestReportHasCauses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", faults.LongestSaid)
	for body, want := range map[string][]faults.Said{
		`{"error":{"class":"A","message":"A: x"}}`:                                                                                     nil,
		`{"error":{"class":"A","message":"x","causes":[]}}`:                                                                            nil,
		`{"error":{"class":"A","message":"x","causes":[{"class":"B","message":"B: y"}]}}`:                                              {{Class: "B", Message: "y"}},
		`{"error":{"class":"A","message":"x","causes":[{"class":"A","message":"x"},{"class":"A"}]}}`:                                   {{Class: "A"}},
		`{"error":{"class":"A","message":"x","causes":[{"class":"B"},{"class":"B"},{"message":"z"},{}]}}`:                              {{Class: "B"}, {Message: "z"}},
		`{"error":{"class":"A","message":"x","causes":[{"class":"B\nC","message":"` + long + `"}]}}`:                                   {{Class: "B C", Message: long[:faults.LongestSaid]}},
		`{"error":{"class":"A","message":"x","causes":[{"class":"B","message":"y"}]},"causes":[{"class":1}]}`:                          {{Class: "B", Message: "y"}},
		`{"error":{"class":"ExecutionException","message":"B: y","causes":[{"class":"B","message":"y"},{"class":"C","message":"z"}]}}`: {{Class: "ExecutionException", Message: "B: y"}, {Class: "C", Message: "z"}},
	} {
		if diff := cmp.Diff(want, mustParse(t, body).Causes); diff != "" {
			t.Errorf("%.120s (-want +got):\n%s", body, diff)
		}
	}
}
