// Package draw computes the shapes of charts and where long words may break. It receives values, times and texts and returns
// coordinates, SVG paths and descriptions for screen readers, which the templates of package web put into pages. It has no
// notion of requests, colors or the store, and produces markup only for the small charts of lists and for texts.
package draw

import (
	"math"
	"strconv"
	"strings"
)

// num formats a coordinate with at most one decimal. To add 0 makes a negative zero a usual one.
func num(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

// path builds SVG path data: letters and coordinates.
func path(parts ...any) string {
	var b strings.Builder
	for i, part := range parts {
		switch v := part.(type) {
		case string:
			b.WriteString(v)
			continue
		case float64:
			if i > 0 {
				if _, before := parts[i-1].(float64); before {
					b.WriteByte(' ')
				}
			}
			b.WriteString(num(v))
		}
	}
	return b.String()
}

// bar adds the path of a bar.
func bar(x, y, w, h float64) string { return path("M", x, y, "h", w, "v", h, "h", -w, "z") }

// highest returns the maximum of counts, at least 1.
func highest(counts []int64) int64 {
	top := int64(1)
	for _, n := range counts {
		top = max(top, n)
	}
	return top
}

func sum(counts []int64) (all int64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// nice rounds up to a readable value for an axis: 1, 2 or 5 times a power of ten, or 1.5, 3 or 7.5 times one if that and its half
// are integers.
func nice(top float64) float64 {
	if top <= 4 {
		return math.Max(2, 2*math.Ceil(top/2))
	}
	unit := math.Pow(10, math.Floor(math.Log10(top)))
	for _, step := range [...]float64{1, 1.2, 1.5, 2, 2.4, 3, 4, 5, 6, 8, 10} {
		if v := unit * step; v >= top && math.Mod(v, 2) == 0 {
			return v
		}
	}
	return unit * 10
}
