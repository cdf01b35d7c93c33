package sentry_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/sentry"
)

// A frame of which only the address is known is placed in its image, so that a crash is the same wherever the image was loaded.
func TestFramesWithAnAddressOnly(t *testing.T) {
	t.Parallel()
	const app = `{"type":"elf","code_file":"/data/app/~~x==/lib/arm64/libapp.so","image_addr":"0x7f0000000000","image_size":2097152}`
	const moved = `{"type":"pe_dotnet","debug_file":"C:\\shop\\GameAssembly.dll","image_addr":"0x7a1000000000"}`
	const ided = `{"debug_id":"5ac1b8e3-0000-4000-8000-000000000001","image_addr":1000}`
	for name, c := range map[string]struct{ images, frame, want string }{
		"in an image":                  {app + "," + moved, `"instruction_addr":"0x7f00001a2b3c"`, "libapp.so +0x1a2b3c"},
		"in one without a size":        {app + "," + moved, `"instruction_addr":"0x7a1000000099","function":"<unknown>"`, "GameAssembly.dll +0x99"},
		"in one without a name":        {ided, `"instruction_addr":1010`, "5ac1b8e3-0000-4000-8000-000000000001 +0xa"},
		"after the end of all":         {app, `"instruction_addr":"0x7f0000200000"`, " 0x7f0000200000"},
		"relative to an image":         {app + "," + moved, `"instruction_addr":"0x99","addr_mode":"rel:1"`, "GameAssembly.dll +0x99"},
		"relative to none":             {app, `"instruction_addr":"0x99","addr_mode":"rel:7"`, " 0x99"},
		"with its image":               {"", `"instruction_addr":"0x7a1000000099","image_addr":"0x7a1000000000","package":"/usr/lib/libshop.dylib"`, "libshop.dylib +0x99"},
		"with the name of its image":   {"", `"instruction_addr":"0x7a1000000099","package":"/usr/lib/libshop.dylib"`, "libshop.dylib 0x7a1000000099"},
		"without images":               {"", `"instruction_addr":"0x7a1000000099","abs_path":""`, " 0x7a1000000099"},
		"with a name that is no name":  {app, `"instruction_addr":"0x7f00001a2b3c","function":"0x7f00001a2b3c"`, "libapp.so +0x1a2b3c"},
		"with a name":                  {app, `"instruction_addr":"0x7f00001a2b3c","function":"charge"`, " charge"},
		"with a file":                  {app, `"instruction_addr":"0x7f00001a2b3c","filename":"a.dart","lineno":7`, "a.dart "},
		"with an address that is none": {app, `"instruction_addr":"here"`, " here"},
		"at the end of a stack":        {app, `"instruction_addr":"0x0","module":"x"`, ""},
	} {
		for _, kind := range []string{`"exception":{"values":[{"type":"xA","stacktrace":{"frames":[{%s}]}}]}`, `"threads":{"values":[{"current":true,"stacktrace":{"frames":[{%s}]}}]},"message":"x"`} {
			e, err := readEvent(new(sentry.Reader), fmt.Appendf(nil, `{"platform":"dart",%s,"debug_meta":{"images":[%s]}}`, fmt.Sprintf(kind, c.frame), c.images), sentry.Request{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range e.Notice.Backtrace {
				got = append(got, f.File+" "+f.Method)
			}
			want := []string{c.want}
			if c.want == "" {
				want = nil
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// The same crash in two runs is one error, and two crashes are two.
func TestGroupsOfAddresses(t *testing.T) {
	t.Parallel()
	key := func(start, at uint64, mark string) any {
		t.Helper()
		e, err := readEvent(new(sentry.Reader), fmt.Appendf(nil, `{"platform":"native","exception":{"values":[{"type":"SIGSEGV","value":"x","stacktrace":{"frames":[{"instruction_addr":"%#x"%s},{"instruction_addr":"0x7fff00000099"}]}}]},
			"debug_meta":{"images":[{"code_file":"libapp.so","image_addr":"%#x"},{"code_file":"/usr/lib/libc.so.6","image_addr":"0x7fff00000000"}]}}`, start+at, mark, start), sentry.Request{})
		if err != nil {
			t.Fatal(err)
		}
		return reportOf(t, e).Grouping.Key
	}
	for _, mark := range []string{`,"in_app":true`, ""} { // some clients mark no frames
		if a, b := key(0x7f0000000000, 0x1a2b7c, mark), key(0x7a1000000000, 0x1a2b7c, mark); a != b {
			t.Errorf("one crash in two runs is two errors, marked %q", mark)
		}
		if a, b := key(0x7f0000000000, 0x1a2b7c, mark), key(0x7f0000000000, 0xd9, mark); a == b {
			t.Errorf("two crashes are one error, marked %q", mark)
		}
	}
}

// Where a Dart function waits is not the place of an error, even if the client marks it.
func TestAsynchronousGaps(t *testing.T) {
	t.Parallel()
	key := func(file string) any {
		t.Helper()
		e, err := readEvent(new(sentry.Reader), fmt.Appendf(nil, `{"platform":"dart","exception":{"values":[{"type":"StateError","value":"x","stacktrace":{"frames":[
			{"filename":%q,"function":"a","lineno":1,"in_app":true},{"abs_path":"<asynchronous suspension>","filename":"","in_app":true}]}}]}}`, file), sentry.Request{})
		if err != nil {
			t.Fatal(err)
		}
		return reportOf(t, e).Grouping.Key
	}
	if key("kiosk/a.dart") == key("kiosk/b.dart") || key("kiosk/a.dart") != key("kiosk/a.dart") {
		t.Error("the place is not that of the frame before the gap")
	}
}
