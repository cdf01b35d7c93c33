package group_test

import (
	"cmp"
	"testing"

	"sett/internal/event/origin"
	"sett/internal/ingest/group"
)

// BenchmarkLocate measures, for an event of the corpus: rule 2; rule 1, which runs beside it; and whose code the frames run, by both.
func BenchmarkLocate(b *testing.B) {
	situations, _ := readCorpus(b)
	var all []benched
	for _, s := range situations {
		for _, events := range s.all {
			for _, f := range events {
				all = append(all, newBenched(f))
			}
		}
	}
	for name, run := range map[string]func(*benched){
		"rule 2":  func(e *benched) { group.Locate(e.event) },
		"rule 1":  func(e *benched) { group.Of(e.first) },
		"origins": (*benched).origins,
		"origins of rule 1": func(e *benched) {
			for _, f := range e.frames {
				group.FirstOrigin(f.Context, f.File, f.Method)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				run(&all[i%len(all)])
			}
		})
	}
}

// benched is an event as package event gives it to the rules.
type benched struct {
	event  group.Event
	first  group.Input
	frames []origin.Frame
}

func newBenched(f *failure) (e benched) {
	e.event.Chain = []group.Error{e.read(f, f.Class, f.Message, f.Frames)}
	for _, c := range f.Causes {
		e.event.Chain = append(e.event.Chain, e.read(f, c.Class, c.Message, c.Frames))
	}
	e.event.Environment, e.event.Component, e.event.Revision = "production", f.Route, f.Release
	one := e.event.Chain[0]
	e.first = group.Input{Environment: "production", Class: one.Class, Component: f.Route, Message: one.Message, App: one.App, Top: one.Top}
	return e
}

func (e *benched) read(f *failure, class, message string, frames []frame) group.Error {
	one := group.Error{Class: class, Message: message}
	var all []origin.Frame
	for _, l := range frames {
		o := origin.Frame{File: cmp.Or(l.Path, l.File), Method: l.method(f.Platform)}
		if l.App != nil {
			o.Context = map[bool]string{true: "app", false: "all"}[*l.App]
		}
		all = append(all, o)
	}
	e.frames = append(e.frames, all...)
	for i, isApp := range origin.Apps(all) {
		g := &group.Frame{File: all[i].File, Method: all[i].Method, Line: "31", Column: frames[i].Col}
		if i == 0 {
			one.Top = g
		}
		if isApp && one.App == nil {
			one.App = g
		} else if isApp && one.Caller == nil {
			one.Caller = g
		}
	}
	return one
}

// origins is what package event asks of a backtrace for rule 2.
func (e *benched) origins() {
	var tally origin.Tally
	for _, f := range e.frames {
		if said, _ := tally.Add(f.Context, f.File, f.Method); said > origin.Vendored {
			group.IsHelper(f.Method)
		}
	}
	tally.Doubts()
}
