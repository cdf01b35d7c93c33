package ingest

import (
	"reflect"
	"testing"
	"time"

	"sett/internal/run"
	"sett/internal/sett"
	"sett/internal/store/spool"
	"sett/internal/store/uptime"
)

// fill sets every field of v, so that one which an encoding leaves out is noticed.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.UnixMicro(1_790_000_000_000_000 + int64(*n)).UTC()))
			return
		}
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.String:
		v.SetString(string(rune('a' + *n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n%255 + 1))
	default:
		t.Fatalf("a field of kind %s", v.Kind())
	}
}

// TestSpoolEntries checks that all that is known of a report comes out of a spool as it went in.
func TestSpoolEntries(t *testing.T) {
	for name, v := range map[string]any{"notice": &spooledNotice{}, "ping": &uptime.PingReport{}, "deploy": &sett.Deploy{}, "run": &run.Report{}} {
		n := 0
		fill(t, reflect.ValueOf(v).Elem(), &n)
		e, err := newEntry(spool.Notice, time.Now(), v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := reflect.New(reflect.TypeOf(v).Elem())
		if err := decodeEntry(e, got.Interface()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got.Interface(), v) {
			t.Errorf("%s: came out as %+v, was %+v", name, got.Elem(), v)
		}
	}
}
