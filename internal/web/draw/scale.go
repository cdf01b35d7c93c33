package draw

import (
	"math"
	"strconv"
)

// Gap is a value of a line where nothing was measured.
var Gap = math.NaN()

// scale is the range of values that a chart shows. It has 0 at an end or in the middle.
type scale struct{ low, top float64 }

// scaleOf returns a readable range that has all values of lines. Without fractions, its half is a whole number.
func scaleOf(all []Values) scale {
	low, top := 0.0, 0.0
	for _, v := range all {
		for _, n := range v.Values {
			if !math.IsNaN(n) {
				low, top = min(low, n), max(top, n)
			}
		}
	}
	end := fine(max(top, -low))
	switch {
	case low == 0:
		return scale{0, end}
	case top == 0:
		return scale{-end, 0}
	default:
		return scale{-end, end}
	}
}

// fine is nice for values that may all be below 1.
func fine(top float64) float64 {
	if top == 0 || top >= 1 {
		return nice(top)
	}
	unit := math.Pow(10, math.Floor(math.Log10(top))-1)
	return unit * nice(math.Ceil(top/unit))
}

// at returns the share of the range that is below a value.
func (s scale) at(v float64) float64 { return (v - s.low) / (s.top - s.low) }

// value returns the value at a share of the range.
func (s scale) value(share float64) float64 { return s.low + share*(s.top-s.low) }

// short writes a value with as many digits as tell it from others of the same chart.
func short(v float64) string {
	if v != 0 && math.Abs(v) < 1 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return num(v)
}
