package sett

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func TestWritten(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	west, east := time.FixedZone("", -14*3600), time.FixedZone("", 14*3600)
	for _, c := range [][2]time.Time{
		{noon, noon},
		{noon.In(west), noon.In(west)},
		{{}, {}},
		{lastMoment(), lastMoment()},
		{lastMoment().In(east), lastMoment()},
		{lastMoment().Add(time.Second), lastMoment()},
		{time.Date(9999, 12, 31, 23, 0, 0, 0, west), lastMoment()},
		{time.UnixMicro(1<<63 - 1), lastMoment()},
		{time.UnixMicro(-1 << 63), {}},
	} {
		got := Written(c[0])
		if _, err := got.MarshalJSON(); err != nil || !got.Equal(c[1]) {
			t.Errorf("%v is %v, %v; want %v", c[0], got, err, c[1])
		}
	}
}

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
