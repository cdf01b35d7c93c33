package alerts

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// However far off the times of an alert are, its facts can be stored. The facts that were given stay as they are.
func TestFactsWithAnyTimeCanBeWritten(t *testing.T) {
	t.Parallel()
	far := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	f := AlertFacts{Comment: &CommentFacts{}, Site: &SiteFacts{}, CheckIn: &CheckInFacts{}}
	for _, part := range []any{f.Comment, f.Site, f.CheckIn} {
		v := reflect.ValueOf(part).Elem()
		for i := range v.NumField() {
			if _, ok := v.Field(i).Interface().(time.Time); ok {
				v.Field(i).Set(reflect.ValueOf(far))
			}
		}
	}
	if _, err := json.Marshal(f); err == nil {
		t.Error("these can be written as they are")
	}
	if _, err := json.Marshal(f.Written()); err != nil {
		t.Error(err)
	}
	if !f.Site.CertWillExpireAt.Equal(far) || !f.CheckIn.DueAt.Equal(far) || !f.Comment.CreatedAt.Equal(far) {
		t.Error("the facts have changed")
	}
	if _, err := json.Marshal(AlertFacts{}.Written()); err != nil {
		t.Error(err)
	}
}
