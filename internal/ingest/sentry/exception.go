package sentry

import (
	"slices"
	"strings"

	"sett/internal/event/origin"
	"sett/internal/ingest/notice"
	"sett/internal/sett/scan"
)

// exception is one error of a chain. The last of a chain is the one that was reported, and the first its deepest cause.
type exception struct {
	class, module, message string
	handled                *bool // nil if the client does not say
	synthetic              bool  // made to carry a backtrace
	frames                 []frame
}

// thread is a thread of the program when the event was made.
type thread struct {
	current bool // the one that the event comes from
	frames  []frame
}

// frame is one line of a backtrace.
type frame struct {
	file, path, function, module, platform string
	line, column                           int
	address, mode, image, pack             string // of machine code: where it is, in which image that begins where, and the file of that
	app                                    *bool  // nil if the client does not say
	before, after                          []string
	source                                 string
	hasSource                              bool
	vars                                   notice.JSON
}

func (m *Reader) readExceptions(s *scan.Scanner, all []exception) []exception {
	if s.Peek() == '{' {
		return m.readExceptionObject(s, all)
	}
	list(s, func() { all = m.appendException(all, s) })
	return all
}

// appendException appends what comes next, unless it is no exception, such as null.
func (m *Reader) appendException(all []exception, s *scan.Scanner) []exception {
	if s.Peek() != '{' {
		s.Value()
		m.event.emptyValues = true
		return all
	}
	return append(all, m.readException(s))
}

// readExceptionObject reads an object that has a list as values, or is an exception itself, as old clients send it.
func (m *Reader) readExceptionObject(s *scan.Scanner, all []exception) []exception {
	var alone exception
	found := false
	for key := range s.Members {
		if key == "values" {
			for range s.Elements {
				all = m.appendException(all, s)
			}
			continue
		}
		found = m.exceptionMember(&alone, s, key) || found
	}
	if found && len(all) == 0 {
		all = append(all, alone)
	}
	return all
}

func (m *Reader) readException(s *scan.Scanner) (e exception) {
	for key := range s.Members {
		m.exceptionMember(&e, s, key)
	}
	return e
}

// exceptionMember reads one member of an exception, and reports whether it has a meaning.
func (m *Reader) exceptionMember(e *exception, s *scan.Scanner, key string) bool {
	switch key {
	case "type":
		e.class = s.Text()
	case "value":
		e.message = s.Text()
	case "module":
		e.module = scalar(s)
	case "stacktrace":
		e.frames = m.readStack(s)
	case "mechanism":
		for key := range s.Members {
			switch key {
			case "handled":
				e.handled = truth(scalar(s))
			case "synthetic":
				e.synthetic = scalar(s) == "true"
			default:
				s.Value()
			}
		}
	default:
		s.Value()
		return false
	}
	return true
}

func (m *Reader) readThreads(s *scan.Scanner, all []thread) []thread {
	list(s, func() {
		var t thread
		for key := range s.Members {
			switch key {
			case "crashed", "current":
				t.current = scalar(s) == "true" || t.current
			case "stacktrace":
				t.frames = m.readStack(s)
			default:
				s.Value()
			}
		}
		all = append(all, t)
	})
	return all
}

func (m *Reader) readStack(s *scan.Scanner) []frame {
	start := len(m.frames)
	for key := range s.Members {
		if key != "frames" {
			s.Value()
			continue
		}
		for range s.Elements {
			m.frames = append(m.frames, frame{})
			m.frames[len(m.frames)-1].read(s)
		}
	}
	return m.frames[start:len(m.frames):len(m.frames)]
}

func (f *frame) read(s *scan.Scanner) {
	for key := range s.Members {
		switch key {
		case "filename":
			f.file = scalar(s)
		case "abs_path":
			f.path = scalar(s)
		case "function":
			f.function = scalar(s)
		case "module":
			f.module = scalar(s)
		case "platform":
			f.platform = scalar(s)
		case "instruction_addr":
			f.address = scalar(s)
		case "addr_mode":
			f.mode = scalar(s)
		case "image_addr":
			f.image = scalar(s)
		case "package":
			f.pack = scalar(s)
		case "lineno":
			f.line = position(s)
		case "colno":
			f.column = position(s)
		case "in_app":
			f.app = truth(scalar(s))
		case "pre_context":
			f.before = texts(s)
		case "post_context":
			f.after = texts(s)
		case "context_line":
			f.hasSource = s.Peek() == '"'
			f.source = scalar(s)
		case "vars":
			f.vars = object(s)
		default:
			s.Value()
		}
	}
}

// truth returns what a text says, or nil if it is neither true nor false.
func truth(text string) *bool {
	switch text {
	case "true":
		return &yes
	case "false":
		return &no
	}
	return nil
}

var yes, no = true, false // which nothing changes

// backtrace makes a backtrace of frames, which come with the newest call last. Where a client marks no frame as the application's, or
// marks all as not, sett's own rule decides.
func (m *Reader) backtrace(frames []frame, platform string) []notice.Frame {
	marked := slices.ContainsFunc(frames, func(f frame) bool { return f.app != nil && *f.app })
	start := len(m.trace)
	var images []image
	if slices.ContainsFunc(frames, func(f frame) bool { return f.isBare() }) {
		images = imagesOf(m.event.images)
	}
	for i := len(frames) - 1; i >= 0; i-- {
		f := frames[i].notice(platform)
		bare := frames[i].isBare()
		var where image
		if bare {
			where, f.Method = frames[i].place(images)
			f.File = where.name
		}
		if f.File == "" && f.Method == "" {
			continue
		}
		if f.Context = frames[i].context(marked, platform); bare {
			f.Context = frames[i].bareContext(marked, where)
		}
		m.trace = append(m.trace, f)
	}
	return m.trace[start:len(m.trace):len(m.trace)]
}

// context returns the context of a frame, where some of the frames around it are marked or none is.
func (f *frame) context(marked bool, platform string) string {
	switch {
	case f.ofOthers(platform):
		return "all"
	case f.app != nil && *f.app:
		return "app"
	case marked:
		return "all"
	default:
		return ""
	}
}

// asyncGap stands in Dart for what ran while a function waited: it is no place.
const asyncGap = "<asynchronous suspension>"

// nativePrefixes begin the names of functions that are not the application's, where there is no path to tell.
var nativePrefixes = []string{"std::", "core::", "alloc::", "<&dyn core::", "__rust", "__libc_start", "_start"}

// ofOthers reports whether a frame is a library's although its client marks it as the application's, or does not mark frames: the client
// for Rust marks frames of its own, and that for Ruby all frames of a program that runs outside of its project.
func (f *frame) ofOthers(platform string) bool {
	switch platform {
	case "dart":
		return f.path == asyncGap || f.file == asyncGap || f.function == asyncGap
	case "native", "rust":
		return f.function == "main" || origin.Guess(f.path, f.function) == origin.Vendored || slices.ContainsFunc(nativePrefixes, func(prefix string) bool {
			return strings.HasPrefix(f.function, prefix)
		})
	case "ruby":
		return strings.HasPrefix(f.file, "sentry/")
	default:
		return false
	}
}

func (f *frame) notice(platform string) notice.Frame {
	file := f.file
	if file == "" || file == unknown || f.path != "" && origin.Guess(file, "") > origin.Vendored && origin.Guess(f.path, "") == origin.Vendored {
		file = f.path // which says that it is a library's
	}
	n := notice.Frame{File: file, Line: f.line, Column: f.column, Method: f.method(platform)}
	if platform == "csharp" && n.Method != "" {
		n.Class = f.module
	}
	if f.hasSource && f.line > 0 {
		n.Source = f.lines()
	}
	return n
}

// What clients send for a name that they do not know.
const unknown = "<unknown>"

// method returns the name of the function, with its package or class where functions of other files may have the same.
func (f *frame) method(platform string) string {
	if f.platform != "" {
		platform = f.platform
	}
	switch f.function {
	case "?", unknown, "":
		return ""
	}
	if (platform == "java" || platform == "go") && f.module != "" {
		return f.module + "." + f.function
	}
	return f.function
}

// lines returns the lines of source around the frame's.
func (f *frame) lines() []notice.SourceLine {
	all := make([]notice.SourceLine, 0, len(f.before)+1+len(f.after))
	for i, text := range f.before {
		if n := f.line - len(f.before) + i; n > 0 {
			all = append(all, notice.SourceLine{Number: n, Text: text})
		}
	}
	all = append(all, notice.SourceLine{Number: f.line, Text: f.source})
	for i, text := range f.after {
		all = append(all, notice.SourceLine{Number: f.line + 1 + i, Text: text})
	}
	return all
}

// locals returns the variables of the newest frame of the application, or else of the newest that has any.
func locals(frames []frame) (vars notice.JSON) {
	for _, f := range slices.Backward(frames) {
		if f.vars == "" {
			continue
		}
		if f.app != nil && *f.app {
			return f.vars
		}
		if vars == "" {
			vars = f.vars
		}
	}
	return vars
}
