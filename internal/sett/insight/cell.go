package insight

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
)

// cell is what is known of the values of a function in a group.
type cell struct {
	n        int64 // values
	numbers  int64
	sum      float64
	min, max float64
	moments  bool // the numbers are times
	fine     int64
	bearable int64
	sketch   sketch
	distinct map[uint64]struct{} // hashes of values
	picked   Value
	rank     Value
	top      map[string]*frequent
}

// frequent is a value with how often it was, or the sum of its ranks.
type frequent struct {
	Value
	weight float64
}

// hashSeed is for the hashes of values that are counted once.
var hashSeed = maphash.MakeSeed()

func (g *groups) addTo(c *cell, a *Agg, v *Value, rank Value) {
	if v.Kind == Absent {
		return
	}
	c.n++
	switch a.Func {
	case Count:
	case Unique:
		g.addDistinct(c, *v)
	case First, Last, Pick:
		g.pick(c, a, *v, rank)
	case Top:
		g.addTop(c, a, *v, rank)
	default:
		c.add(a, v)
	}
}

func (g *groups) addDistinct(c *cell, v Value) {
	if c.distinct == nil {
		c.distinct = map[uint64]struct{}{}
	}
	text := v.Text
	if v.Kind == Moment {
		text = formatNumber(v.Num)
	}
	hash := maphash.String(hashSeed, text)
	if _, known := c.distinct[hash]; known {
		return
	}
	if g.distinct == 0 {
		g.dropped = true
		return
	}
	c.distinct[hash] = struct{}{}
	g.distinct--
}

// pick remembers the value with the highest rank, or for First with the lowest one.
func (g *groups) pick(c *cell, a *Agg, v, rank Value) {
	if rank.Kind == Absent {
		return
	}
	order := Compare(rank, c.rank)
	if a.Func == First != a.desc {
		order = -order
	}
	if c.picked.Kind != Absent && order <= 0 {
		return
	}
	more := len(v.Text) + len(rank.Text) - len(c.picked.Text) - len(c.rank.Text)
	if g.bytes+more > maxGroupBytes {
		g.dropped = true
		return
	}
	g.bytes += more
	c.picked, c.rank = v, rank
}

func (g *groups) addTop(c *cell, a *Agg, v, rank Value) {
	weight := 1.0
	if a.rank != nil {
		var ok bool
		if weight, ok = rank.number(); !ok {
			return
		}
	}
	if c.top == nil {
		c.top = map[string]*frequent{}
	}
	key := v.key()
	have := c.top[key]
	if have == nil {
		if g.distinct == 0 || g.bytes+2*len(key) > maxGroupBytes {
			g.dropped = true
			return
		}
		g.distinct--
		g.bytes += 2 * len(key)
		have = &frequent{Value: v}
		c.top[key] = have
	}
	have.weight += weight
}

// key returns a text that only this value has.
func (v Value) key() string {
	if v.Kind == Moment {
		return "m" + formatNumber(v.Num)
	}
	return string(rune('0'+v.Kind)) + v.Text
}

func (c *cell) add(a *Agg, v *Value) {
	n, ok := v.number()
	if v.Kind == Moment {
		n, ok, c.moments = v.Num, true, true
	}
	if !ok {
		return
	}
	if c.numbers == 0 {
		c.min, c.max = n, n
	}
	c.numbers++
	c.sum, c.min, c.max = c.sum+n, min(c.min, n), max(c.max, n)
	switch {
	case a.Func == Quantile:
		c.sketch.add(n)
	case a.Func == Apdex && n <= a.Share:
		c.fine++
	case a.Func == Apdex && n <= 4*a.Share:
		c.bearable++
	}
}

func (c *cell) result(a Agg, events int64) Value {
	switch {
	case a.Func == Count && a.Key == "" && a.of == nil && a.where == nil:
		return NumberValue(float64(events))
	case a.Func == Count:
		return NumberValue(float64(c.n))
	case a.Func == Unique:
		return NumberValue(float64(len(c.distinct)))
	case a.Func == First || a.Func == Last || a.Func == Pick:
		return c.picked
	case a.Func == Top:
		return c.list(a.most)
	case c.numbers == 0:
		return Value{}
	}
	return c.calculated(a)
}

func (c *cell) calculated(a Agg) Value {
	var n float64
	switch a.Func {
	case Sum:
		return finite(c.sum)
	case Apdex:
		return finite((float64(c.fine) + float64(c.bearable)/2) / float64(c.numbers))
	case Avg:
		n = c.sum / float64(c.numbers)
	case Min:
		n = c.min
	case Max:
		n = c.max
	default:
		n = min(max(c.sketch.quantile(a.Share), c.min), c.max)
	}
	if c.moments {
		return momentValue(int64(n))
	}
	return finite(n)
}

// mostFrequent returns the values with the highest weights.
func (c *cell) mostFrequent(most int) []*frequent {
	all := slices.SortedFunc(maps.Values(c.top), func(a, b *frequent) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), Compare(a.Value, b.Value))
	})
	return all[:min(len(all), most)]
}

// list returns the most frequent values as a list.
func (c *cell) list(most int) Value {
	var b strings.Builder
	for i, f := range c.mostFrequent(most) {
		next := f.stored()
		if b.Len()+len(next) > MaxText {
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(next)
	}
	return Value{Kind: List, Text: "[" + b.String() + "]"}
}
