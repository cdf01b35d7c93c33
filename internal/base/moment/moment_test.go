package moment_test

import (
	"testing"
	"time"

	"sett/internal/base/moment"
)

func TestRead(t *testing.T) {
	t.Parallel()
	second := time.Date(2026, 11, 27, 9, 0, 5, 0, time.UTC)
	milli, micro, nano := second.Add(123*time.Millisecond), second.Add(123456*time.Microsecond), second.Add(123456789)
	minute, midnight := second.Truncate(time.Minute), second.Truncate(24*time.Hour)
	for text, want := range map[string]time.Time{
		"1795770005": second, " 1795770005 ": second, "+1795770005": second, "1795770005.0": second, "1.795770005e9": second, "1795770005.123456": micro, "1795770005.1234561": micro,
		"1795770005123": milli, "1795770005123.456": micro, "1795770005123456": micro, "1795770005123456.0": micro, "1795770005123456789": nano, "1.795770005123456e15": micro, "1795770005123456789.5": micro.Add(time.Microsecond),

		"2026-11-27T09:00:05Z": second, "2026-11-27T09:00:05z": second, "2026-11-27t09:00:05z": second, "2026-11-27 09:00:05Z": second, "2026-11-27 09:00:05": second, "2026-11-27T09:00:05": second,
		"2026-11-27T09:00:05.123Z": milli, "2026-11-27T09:00:05,123Z": milli, "2026-11-27 09:00:05,123": milli, "2026-11-27T09:00:05.123456789+00:00": nano, "2026-11-27T09:00:05.123456": micro,
		"2026-11-27T10:00:05+01:00": second, "2026-11-27T10:00:05+0100": second, "2026-11-27T10:00:05+01": second, "2026-11-27T10:00:05 01:00": second, "2026-11-27 10:00:05 +0100": second, "2026-11-27 03:30:05 -05:30": second,
		"2026-11-27T09:00:05+0000": second, "2026-11-27T09:00:05-00:00": second, "2026-11-27 09:00:05 UTC": second, "2026-11-27 09:00:05 +0000 UTC": second, "2026-11-27 10:00:05.123 +0100 CET": milli, "2026-11-27 09:00:05.123456789 +0000 UTC m=+0.000012": nano,
		"2026-11-27T09:00Z": minute, "2026-11-27 09:00": minute, "20261127T090005Z": second, "20261127T090005": second, "20261127T0900Z": minute, "2026-331T09:00:05Z": second,
		"2026-11-27T10:00:05+01:00[Europe/Vienna]": second, "2026/11/27 09:00:05": second, "2026-11-27_09:00:05": second, "2026-11-27 9:00:05 AM": second, "2026-11-27 09:00:05 GMT": second,
		"Fri, 27 Nov 2026 09:00:05 GMT": second, "Fri, 27 Nov 2026 10:00:05 +0100": second, "Friday, 27-Nov-26 09:00:05 UTC": second, "Fri Nov 27 09:00:05 2026": second, "Fri Nov 27 09:00:05 UTC 2026": second,
		"Fri Nov 27 2026 10:00:05 GMT+0100 (Central European Standard Time)": second, "27/Nov/2026:10:00:05 +0100": second, "Nov 27, 2026 9:00:05 AM": second, "27 November 2026 09:00:05": second,
		"2026-11-27": midnight, "20261127": midnight,
		"0": time.Unix(0, 0), "-5": time.Unix(-5, 0), "253402300799": time.Unix(253402300799, 0), "253402300800": time.UnixMilli(253402300800),
	} {
		if got, ok := moment.Read(text); !ok || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%q is %v, %v; want %v", text, got, ok, want.UTC())
		}
	}
	for _, text := range []string{
		"", " ", "now", "NaN", "Inf", "1e400", "1e30", "--5", "1.2.3", "2026-13-01", "2026-02-30T00:00:00Z", "2026-11-27T25:00:00Z", "09:00:05", "2026-11-27T09:00:05 CET", "2026-11-27T09:00:05Z+1", "2026-11-27 09:00:05 UTC +0100", "2026-11-27 09:00:05 three words more",
		"tomorrow 09:00", "10000-01-01T00:00:00Z", "12345678901234567890", "0x10",
	} {
		if got, ok := moment.Read(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"1795770005.123456", "2026-11-27T09:00:05.123Z", "Fri Nov 27 2026 10:00:05 GMT+0100 (CET)", "27/Nov/2026:10:00:05 +0100", ",", "1-", "Fri"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := moment.Read(text)
		if !ok {
			return
		}
		if again, ok := moment.Read(at.Format(time.RFC3339Nano)); !ok || !again.Equal(at) {
			t.Errorf("%q is %v, and that is %v", text, at, again)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for _, text := range []string{"1795770005.123456", "2026-11-27T09:00:05.123Z"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				moment.Read(text)
			}
		})
	}
}
