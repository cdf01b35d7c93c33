package sentry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sett/internal/ingest/notice"
	"sett/internal/sett/scan"
)

// image is a file of machine code where it was loaded.
type image struct {
	name   string // without its directories, which differ from machine to machine
	system bool   // it is part of the operating system
	start  uint64
	size   uint64 // 0: unknown
}

// systemPaths begin the paths of images of operating systems: Linux, Android, macOS and iOS, Windows.
var systemPaths = []string{"/lib/", "/lib64/", "/usr/lib", "/system/", "/apex/", "/vendor/", "/System/", "/usr/libexec/", `C:\Windows\`, "linux-vdso.", "linux-gate."}

func isSystem(path string) bool {
	return slices.ContainsFunc(systemPaths, func(start string) bool {
		return len(path) >= len(start) && strings.EqualFold(path[:len(start)], start)
	})
}

// imagesOf reads the images of an event.
func imagesOf(list notice.JSON) (all []image) {
	s := scan.New(string(list))
	for range s.Elements {
		var i image
		var id string
		for key := range s.Members {
			switch key {
			case "code_file", "debug_file", "name":
				path := scalar(&s)
				if name := baseName(path); i.name == "" || key == "code_file" && name != "" {
					i.name, i.system = name, isSystem(path)
				}
			case "debug_id", "code_id", "uuid":
				id = scalar(&s)
			case "image_addr":
				i.start, _ = address(scalar(&s))
			case "image_size":
				i.size, _ = address(scalar(&s))
			default:
				s.Value()
			}
		}
		if i.name == "" {
			i.name = id
		}
		all = append(all, i)
	}
	return all
}

// address reads an address or size, in hexadecimal with 0x or in decimal. Most frames have none, and an error of strconv is
// an allocation.
func address(text string) (uint64, bool) {
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 0, 64)
	return n, err == nil
}

// baseName returns the last part of a path of any system.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// imageAt returns the image that contains an address: the last that begins before it and does not end before it.
func imageAt(images []image, at uint64) (found image, ok bool) {
	for _, i := range images {
		if i.start <= at && (i.size == 0 || at-i.start < i.size) && (!ok || i.start >= found.start) {
			found, ok = i, true
		}
	}
	return found, ok
}

// isBare reports whether only the address of a frame is known. An address of 0 is the end of a stack.
func (f *frame) isBare() bool {
	if at, ok := address(f.address); ok && at == 0 {
		return false
	}
	unnamed := f.function == "" || f.function == "?" || f.function == unknown || f.function == f.address
	return unnamed && f.line == 0 && f.address != "" && (f.file == "" || f.file == unknown) && (f.path == "" || f.path == unknown)
}

// place says where the code of a bare frame is: how far from the start of its image, which is the same in all runs. Without an image, only the
// address is known.
func (f *frame) place(images []image) (where image, method string) {
	at, ok := address(f.address)
	if index, relative := strings.CutPrefix(f.mode, "rel:"); relative && ok {
		if n, err := strconv.Atoi(index); err == nil && 0 <= n && n < len(images) {
			return images[n], fmt.Sprintf("+%#x", at)
		}
	}
	i, found := imageAt(images, at)
	if start, known := address(f.image); known && start <= at {
		i.start, found = start, true
	}
	if name := baseName(f.pack); name != "" {
		i.name, i.system = name, isSystem(f.pack)
	}
	if !ok || !found {
		return i, f.address
	}
	return i, fmt.Sprintf("+%#x", at-i.start)
}

// bareContext is context for a bare frame, whose image says whose it is where the client does not.
func (f *frame) bareContext(marked bool, i image) string {
	switch {
	case f.app != nil && *f.app:
		return "app"
	case marked || i.system:
		return "all"
	}
	return ""
}
