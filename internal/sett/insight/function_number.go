package insight

import (
	"math"
	"strconv"
)

// arithmetic are the signs of calculations.
var arithmetic = map[string]func(e *env, a []Value) Value{
	"+": ofTwo(func(a, b float64) float64 { return a + b }),
	"-": ofTwo(func(a, b float64) float64 { return a - b }),
	"*": ofTwo(func(a, b float64) float64 { return a * b }),
	"/": ofTwo(func(a, b float64) float64 { return a / b }),
	"%": ofTwo(math.Mod),
}

// ofTwo calculates with two numbers; null with anything else. A difference of times is in seconds.
func ofTwo(calc func(a, b float64) float64) func(e *env, a []Value) Value {
	return func(_ *env, v []Value) Value {
		a, ok := v[0].number()
		b, both := v[1].number()
		if v[0].Kind == Moment && v[1].Kind == Moment {
			a, b, ok, both = v[0].Num/1e6, v[1].Num/1e6, true, true
		}
		if !ok || !both {
			return Value{}
		}
		return finite(calc(a, b))
	}
}

func ofOne(calc func(a float64) float64) func(e *env, a []Value) Value {
	return func(_ *env, v []Value) Value {
		a, ok := v[0].number()
		if !ok {
			return Value{}
		}
		return finite(calc(a))
	}
}

// finite returns the value of a number; null if it is infinite or none.
func finite(n float64) Value {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return Value{}
	}
	return NumberValue(n)
}

// digits returns a function that rounds to a number of digits behind the point.
func digits(round func(float64) float64) func(e *env, a []Value) Value {
	return func(_ *env, v []Value) Value {
		a, ok := v[0].number()
		if !ok {
			return Value{}
		}
		if len(v) < 2 {
			return finite(round(a))
		}
		n, ok := v[1].number()
		if n = math.Trunc(n); !ok || math.Abs(n) > 15 {
			return Value{}
		}
		scale := math.Pow(10, math.Abs(n))
		if n < 0 {
			return finite(round(a/scale) * scale)
		}
		if math.Abs(a) > 1e15/scale { // which has no more digits
			return finite(a)
		}
		return finite(round(a*scale) / scale)
	}
}

func numberFunctions() []function {
	one := func(name, about string, calc func(float64) float64) function {
		return function{name: name, usage: name + "(n)", about: about, example: "fields " + name + "(duration) as n", kind: kindNumber, least: 1, most: 1, calc: ofOne(calc)}
	}
	rounding := func(name, about string, round func(float64) float64) function {
		return function{name: name, usage: name + "(n[, digits])", about: about, example: "fields " + name + "(duration / 3, 1) as n", kind: kindNumber, least: 1, most: 2, calc: digits(round)}
	}
	return []function{
		one("abs", "the number without its sign", math.Abs),
		{name: "pow", usage: "pow(a, b)", about: "a to the power of b", example: `fields pow(duration, 2) as n`, kind: kindNumber, least: 2, most: 2, calc: ofTwo(math.Pow)},
		one("log", "the natural logarithm", math.Log),
		one("log2", "the logarithm to base 2", math.Log2),
		one("log10", "the logarithm to base 10", math.Log10),
		{name: "exp", usage: "exp(n)", about: "e to the power of the number", example: `fields exp(status / 100) as n`, kind: kindNumber, least: 1, most: 1, calc: ofOne(math.Exp)},
		rounding("round", "the nearest number with so many digits behind the point", math.Round),
		rounding("floor", "the next lower number with so many digits", math.Floor),
		rounding("ceil", "the next higher number with so many digits", math.Ceil),
		{name: "bucket", usage: "bucket(n, width) or bucket(n, min, max, count)", about: "the start of the step that the number is in; null outside of min and max", example: `stats count() as n by bucket(duration, 100) as from`, kind: kindNumber, least: 2, most: 4, calc: calcBucket},
	}
}

// calcBucket returns where the bucket of a number starts.
func calcBucket(_ *env, a []Value) Value {
	n, ok := a[0].number()
	var low, width float64
	if len(a) == 2 {
		width, _ = a[1].number()
	} else {
		high, there := a[2].number()
		low, _ = a[1].number()
		count := 10.0
		if len(a) == 4 {
			count, _ = a[3].number()
		}
		if width = (high - low) / math.Trunc(count); n < low || n >= high || !there {
			return Value{}
		}
	}
	if !ok || !(width > 0) {
		return Value{}
	}
	return finite(low + math.Floor((n-low)/width)*width)
}

// widthOf returns the width of buckets whose arguments are constants; 0 for others.
func widthOf(args []*expr) float64 {
	var n []float64
	for _, a := range args[1:] {
		if a.lit == nil || a.lit.Kind != Number {
			return 0
		}
		n = append(n, a.lit.Num)
	}
	width := n[0]
	if len(n) == 3 {
		width = (n[1] - n[0]) / math.Trunc(n[2])
	}
	if !(width > 0) || math.IsInf(width, 0) {
		return 0
	}
	return width
}

func convertFunctions() []function {
	return []function{
		{name: "toInt", usage: "toInt(a)", about: "the whole number that the value or its text is", example: `fields toInt(duration) as n`, kind: kindConvert, least: 1, most: 1, calc: ofBool(ofOne(math.Trunc))},
		{name: "toFloat", usage: "toFloat(a)", about: "the number that the value or its text is", example: `fields toFloat(duration) as n`, kind: kindConvert, least: 1, most: 1, calc: ofBool(ofOne(func(a float64) float64 { return a }))},
		{name: "toString", usage: "toString(a)", about: "the value as a text", example: `fields concat(toString(status), " ", path) as said`, kind: kindConvert, least: 1, most: 1, calc: func(e *env, a []Value) Value {
			if a[0].Kind == Absent {
				return Value{}
			}
			return textValue(e.said(a[0]))
		}},
		{name: "toDate", usage: "toDate(a)", about: "the start of the day of a time", example: `stats count() by toDate(@ts) as day`, kind: kindConvert, least: 1, most: 1, calc: func(e *env, a []Value) Value {
			at, ok := e.time(a[0])
			if !ok {
				return Value{}
			}
			return momentValue(startOf(at, interval{1, "d"}).UnixMicro())
		}},
		{name: "toDateTime", usage: "toDateTime(a)", about: "the time that a text or a Unix time is", example: `fields toDateTime("2026-11-18 10:30:00") as t`, kind: kindConvert, least: 1, most: 1, calc: func(e *env, a []Value) Value {
			at, ok := e.time(a[0])
			if !ok {
				return Value{}
			}
			return momentValue(at.UnixMicro())
		}},
		{name: "toUnix", usage: "toUnix(t)", about: "milliseconds since 1970", example: `fields toUnix(@ts) as ms`, kind: kindConvert, least: 1, most: 1, calc: ofTime(func(e *env, at int64) Value { return NumberValue(math.Floor(float64(at) / 1000)) })},
	}
}

// ofBool takes true as 1 and false as 0.
func ofBool(calc func(e *env, a []Value) Value) func(e *env, a []Value) Value {
	return func(e *env, a []Value) Value {
		if a[0].Kind == Bool {
			return NumberValue(map[bool]float64{true: 1, false: 0}[a[0].isTrue()])
		}
		return calc(e, a)
	}
}

// human writes a number for people.
func human(n float64, as string) string {
	switch as {
	case "bytes":
		return scaled(n, 1024, []string{" B", " KiB", " MiB", " GiB", " TiB", " PiB"})
	case "short":
		return scaled(n, 1000, []string{"", "K", "M", "B", "T"})
	case "microseconds":
		return lasting(n / 1e6)
	case "milliseconds":
		return lasting(n / 1e3)
	}
	return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
}

func scaled(n, step float64, units []string) string {
	i := 0
	for ; math.Abs(n) >= step && i < len(units)-1; i++ {
		n /= step
	}
	return strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64) + units[i]
}

// lasting writes seconds.
func lasting(s float64) string {
	for _, unit := range []struct {
		least, of float64
		name      string
	}{{86400, 86400, "d"}, {3600, 3600, "h"}, {60, 60, "m"}, {1, 1, "s"}, {1e-3, 1e-3, "ms"}} {
		if math.Abs(s) >= unit.least {
			return strconv.FormatFloat(math.Round(s/unit.of*10)/10, 'f', -1, 64) + unit.name
		}
	}
	return strconv.FormatFloat(math.Round(s*1e6), 'f', -1, 64) + "µs"
}
