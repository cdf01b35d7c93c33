package unminify

import (
	"testing"
	"unsafe"
)

// The file of a frame may be a part of a body. Its memory is used again while the answer is believed.
func TestAnswersKeepNoBody(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		body := []byte("/static/app.js")
		q := question{d.ProjectID, "", "1", unsafe.String(&body[0], len(body))}
		if _, _, err := d.maps.find(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		copy(body, "/another/file")
		if _, ok := d.maps.answers[question{d.ProjectID, "", "1", "/static/app.js"}]; !ok {
			t.Errorf("answered are %+v", d.maps.answers)
		}
	})
}
