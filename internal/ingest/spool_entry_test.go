package ingest

import (
	"reflect"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/spool"
	"sett/internal/store/uptimedb"
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
	var r faults.Report
	n := 0
	fill(t, reflect.ValueOf(&r).Elem(), &n)
	r.Former.Near = r.Former.Key // rule 1 has no other
	e, receipt, err := newNoticeEntry(&r, 7, "transaction")
	if err != nil || receipt.ID != r.Token || !e.At.Equal(r.ReceivedAt) {
		t.Fatalf("%+v, %+v, %v", e, receipt, err)
	}
	if got, err := readNotice(e); err != nil || !reflect.DeepEqual(got.Report, r) || got.Tried != 7 || got.Transaction != "transaction" {
		t.Errorf("came out as %+v, %v; was %+v", got, err, r)
	}
	for name, v := range map[string]any{"ping": &uptimedb.PingReport{}, "deploy": &faults.Deploy{}} {
		fill(t, reflect.ValueOf(v).Elem(), &n)
		e, err := newEntry(spool.Ping, time.Now(), v)
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

// TestSpooledIDs checks the ids that clients get of notices that have none of their own.
func TestSpooledIDs(t *testing.T) {
	tried := sett.NoticeIDAt(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC))
	_, first, err := newNoticeEntry(&faults.Report{}, 0, "")
	_, second, again := newNoticeEntry(&faults.Report{}, 0, "")
	_, doubtful, last := newNoticeEntry(&faults.Report{}, tried, "1")
	if err != nil || again != nil || last != nil || first.ID.IsZero() || first.ID == second.ID || doubtful.ID != tried.UUID() {
		t.Errorf("%s, %s, %s; want two of their own, and the one that the database may have", first.ID, second.ID, doubtful.ID)
	}
}
