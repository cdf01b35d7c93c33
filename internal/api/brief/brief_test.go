package brief_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/api/brief"
	"sett/internal/base/fence"
	"sett/internal/event/payload"
	"sett/internal/sett/faults"
)

// filled fills every text, number and list of a value that others could have written.
func filled(v reflect.Value, text string, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			filled(v.Elem(), text, depth-1)
		}
	case reflect.Slice:
		if depth > 0 && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 30, 30))
			for i := range v.Len() {
				filled(v.Index(i), text, depth-1)
			}
		}
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.Interface {
			value.Set(reflect.ValueOf(text))
		} else {
			filled(value, text, depth)
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(text), value)
		v.SetMapIndex(reflect.ValueOf("7"), value) // a line of source
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				filled(f, text, depth)
			}
		}
	}
}

// whole is a brief with a text in every field, also in those that are added later.
func whole(text string) (b brief.Brief) {
	filled(reflect.ValueOf(&b).Elem(), text, 5)
	b.BaseURL, b.Counted, b.Fault.FaultState = "https://sett.example.org", true, faults.FaultState{}
	b.History = append(b.History, b.History...)
	for i := range b.History[:len(b.History)/2] {
		b.History[i].Event = ""
	}
	for i := range b.Notice.Backtrace {
		b.Notice.Backtrace[i].Context = "app"
	}
	return b
}

func TestNoTextOfOthersIsOutsideOfTheMarks(t *testing.T) {
	t.Parallel()
	const marker = "Zmarker"
	w := fence.New()
	whole(marker).Write(w)
	text := w.Text()
	marks := regexp.MustCompile(`(?s)\[` + w.Word() + ` [a-z]+>.*?<` + w.Word() + `\]`)
	if rest := marks.ReplaceAllString(text, ""); strings.Contains(rest, marker) {
		t.Errorf("outside of the marks is\n%s", rest)
	}
	within := strings.Join(marks.FindAllString(text, -1), "\n")
	for _, want := range []string{"Zmarker:7 in ZmarkerZmarkerZmarker", "> 7  Zmarker", "Zmarker: Zmarker", `Params: {"7":"Zmarker"`} {
		if !strings.Contains(within, want) {
			t.Errorf("%q is missing within the marks of\n%s", want, text)
		}
	}
	for _, want := range []string{"## What changed before the first event", "## Similar errors", "## History", "## Events around it", "https://sett.example.org/projects/7/faults/7\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// Only what a user wrote is said to be by a person: an event names the revision that reopens an error, and a tracker who closed its issue.
func TestOriginsOfTheHistory(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	for text, c := range map[string]faults.Comment{
		"person> `Ada : Zsaid":                     {AuthorID: 7, Author: "Ada", Source: faults.FromWeb, Body: "Zsaid"},
		"reporter> `Ada : Zsaid":                   {Author: "Ada", Source: faults.FromTracker, Body: "Zsaid"},
		"reporter> `Eve : Zsaid":                   {AuthorID: 7, Author: "Eve", Source: faults.FromUser, Body: "Zsaid"},
		"reporter> `reopened sett Zrevision: Back": {Event: faults.ReopenedEvent, Author: "sett", Source: faults.FromSystem, Revision: "Zrevision", Body: "Back"},
		"reporter> `resolved Ada Zrevision: Fixed": {Event: faults.ResolvedEvent, AuthorID: 7, Author: "Ada", Source: faults.FromWeb, Revision: "Zrevision", Body: "Fixed"},
	} {
		b := brief.Brief{Fault: faults.Fault{ID: 3, ProjectID: 2, CreatedAt: at, LastNoticeAt: at}, History: []faults.Comment{c}}
		if got := b.Text(); !strings.Contains(got, text) {
			t.Errorf("%q is missing: %s", text, got)
		}
	}
}

// A brief has at most 4,000 tokens. One has 3.5 bytes of such texts.
func TestABriefIsShort(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", strings.Repeat("long text](", 2000), strings.Repeat("é\n", 5000)} {
		if size := len(whole(text).Text()); size > 14_000 {
			t.Errorf("with texts of %d bytes it has %d bytes", len(text), size)
		}
	}
}

// What an event does not say leaves no empty lines and no marks.
func TestABriefOfLittle(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	b := brief.Brief{Fault: faults.Fault{ID: 3, ProjectID: 2, Message: "m", CreatedAt: at, LastNoticeAt: at, NoticesCount: 1}, Notice: &faults.Notice{Payload: payload.Payload{Message: "m"}}}
	text := b.Text()
	for _, name := range []string{"Class", "Revision", "Params", "## Similar", "## Backtrace", "## What changed", "Affected"} {
		if strings.Contains(text, name) {
			t.Errorf("it has %s: %s", name, text)
		}
	}
	if want := fmt.Sprintf("# Error 3 of project 2\n\n- State: unresolved\n- Events: 1, first %s", at.Format(time.RFC3339)); !strings.Contains(text, want) {
		t.Errorf("it is %s", text)
	}
}
