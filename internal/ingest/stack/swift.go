package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	// Thread.callStackSymbols, and the same with names from atos: "0   Kiosk   0x0000000104a3c1d8 main + 120 (main.swift:31)".
	swiftSymbol = regexp.MustCompile(`^\d+ +(\S.*?) +0x[0-9a-fA-F]{6,16} (\S.*?)(?: \+ (\d+))?(?: \(([^()]+):(\d+)\))?$`)
	// The backtraces of Swift's runtime since 5.9: "1 [ra] 0x000055d7c1a2 Cart.pay() + 13 in kiosk at /srv/kiosk/Cart.swift:31:9".
	swiftCrash = regexp.MustCompile(`^\d+ +((?:\[[a-z]+\] +)*)(?:0x[0-9a-f]+ +)?(\S.*?)(?: \+ \d+)? in (\S+)(?: at (/.+?):(\d+)(?::(\d+))?)?$`)
	// Those of package swift-backtrace: "0x55d7c1a2, Kiosk.Cart.pay() -> Swift.Int at /srv/kiosk/Cart.swift:31".
	swiftPackage = regexp.MustCompile(`^0x[0-9a-f]+, (\S.*?) at (/.+?|<compiler-generated>):(\d+)$`)

	swiftFatal = regexp.MustCompile(`^(?:\S+:\d+: |\S+: )?((?:Fatal|Precondition|Assertion) (?:error|failed)|Fatal error): ?`)
	swiftEnd   = regexp.MustCompile(`^\W*(?:Program crashed|Crash): ?(.*?)\W*$`)
)

// swift reads the stack traces of Swift on Apple's systems and on others. The addresses differ in each run, and are left out.
func swift(lines []string) []notice.Cause {
	var e notice.Cause
	for _, line := range lines {
		if f, ok := swiftLine(line); ok {
			e.Backtrace = append(e.Backtrace, f)
			continue
		}
		if len(e.Backtrace) > 0 && strings.HasPrefix(line, "Thread ") {
			break // the others did not fail
		}
		if e.Class == "" {
			swiftHeader(&e, line)
		}
	}
	return []notice.Cause{e}
}

func swiftHeader(e *notice.Cause, line string) {
	if m := swiftFatal.FindStringSubmatch(line); m != nil {
		e.Class, e.Message = m[1], line[len(m[0]):]
	} else if m := swiftEnd.FindStringSubmatch(line); m != nil {
		e.Class, e.Message = "Crash", m[1]
	}
}

func swiftLine(line string) (f notice.Frame, ok bool) {
	if m := swiftPackage.FindStringSubmatch(line); m != nil {
		return notice.Frame{Method: m[1], File: m[2], Line: numberOf(m[3])}, true
	}
	if m := swiftCrash.FindStringSubmatch(line); m != nil {
		f = ofImage(notice.Frame{Method: m[2], File: m[4], Line: numberOf(m[5]), Column: numberOf(m[6])}, m[3])
		if strings.Contains(m[1], "[system]") || strings.Contains(m[1], "[thunk]") {
			f.Context = "all"
		}
		return f, true
	}
	if m := swiftSymbol.FindStringSubmatch(line); m != nil {
		f = notice.Frame{Method: m[2], File: m[4], Line: numberOf(m[5])}
		if strings.HasPrefix(f.Method, "0x") { // where the image begins
			f.Method = "+" + m[3]
		}
		return ofImage(f, m[1]), true
	}
	return f, false
}

// swiftImages begin the names of images that are not the application's.
var swiftImages = []string{"lib", "dyld", "UIKit", "AppKit", "CoreFoundation", "Foundation", "GraphicsServices", "SwiftUI", "QuartzCore", "CFNetwork", "Combine", "ld-linux"}

// ofImage returns a frame in an image, whose name stands for the file where that is unknown.
func ofImage(f notice.Frame, image string) notice.Frame {
	if f.File == "" {
		f.File = image
	}
	if slices.ContainsFunc(swiftImages, func(start string) bool { return strings.HasPrefix(image, start) }) {
		f.Context = "all"
	}
	return f
}
