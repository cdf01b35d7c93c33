package group

import (
	"strings"

	"sett/internal/sett/faults"
)

// Input is the input of rule 1. Texts are as sent by the client.
type Input struct {
	ProjectID   int64
	Environment string
	Fingerprint string // chosen by the client; blank means none
	Class       string
	Component   string
	Message     string
	App         *Frame // the first application frame; nil for none
	Top         *Frame // the first frame; nil for none
}

// Of groups a notice by rule 1, by whose keys errors are known from the time before rule 2: by its fingerprint alone where the client sent one; else by class,
// component and the first application frame; else, where no application frame is known, by class, component and the normalised message.
//
// A library's frame does not locate an error: its path and line change with every upgrade of the library, and quite
// different errors surface in the same one. Only its method is used, and only when there is no message to go by.
//
// The texts of the result are cut to 500 runes for keeping; the key covers them whole.
func Of(in Input) faults.Grouping {
	g := faults.Grouping{Rule: First, Environment: in.Environment}
	if g.Fingerprint = strings.TrimSpace(in.Fingerprint); g.Fingerprint != "" {
		g.Basis = byFingerprint
		return seal(in.ProjectID, g)
	}
	g.Class, g.Component = className(in.Class), strings.TrimSpace(in.Component)
	if f := locate(in.App); f.File != "" || f.Method != "" {
		g.Basis, g.File, g.Method, g.Line = byLocation, f.File, f.Method, f.Line
		return seal(in.ProjectID, g)
	}
	g.Basis, g.Message = byMessage, NormalizeMessage(in.Message)
	if g.Message == "" {
		g.Method = locate(in.Top).Method
	}
	return seal(in.ProjectID, g)
}

// locate is what rule 1 uses of a frame: nothing of it depends on the machine, the visitor's address bar, the
// browser, or which build of the same source is running.
func locate(f *Frame) Frame {
	if f == nil {
		return Frame{}
	}
	return Frame{File: fileName(f.File), Method: methodName(f.Method), Line: strings.TrimSpace(f.Line)}
}
