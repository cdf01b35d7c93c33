package sett

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// numbers is a list of the numbers from 1 to its length that stores its rows in a slice.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// page reads a page as a store does. The mark behind a number is the number.
func page(t interface{ Fatal(...any) }, list []int, p Page) ([]int, Marks) {
	rows := slices.Clone(list)
	if p.Mark != "" {
		n, err := strconv.Atoi(p.Mark)
		if err != nil {
			t.Fatal(err)
		}
		rows = slices.DeleteFunc(rows, func(row int) bool { return (row <= n) != p.Back })
	}
	if p.Back {
		slices.Reverse(rows)
	}
	skip, most := p.Rows()
	rows = rows[min(skip, len(rows)):]
	return Cut(p, rows[:min(most, len(rows))], strconv.Itoa)
}

func TestPageAndItsMarks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page  Page
		want  []int
		marks Marks
	}{
		"the first":              {Page{Size: 2}, []int{1, 2}, Marks{Next: "2"}},
		"all at once":            {Page{Size: 5}, []int{1, 2, 3, 4, 5}, Marks{}},
		"by its number":          {Page{Size: 2, Offset: 2}, []int{3, 4}, Marks{Prev: "2", Next: "4"}},
		"the last by its number": {Page{Size: 2, Offset: 4}, []int{5}, Marks{Prev: "4"}},
		"just past the end":      {Page{Size: 2, Offset: 5}, []int{}, Marks{Prev: "5"}},
		"far past the end":       {Page{Size: 2, Offset: 50}, []int{}, Marks{}},
		"behind a mark":          {Page{Size: 2, Mark: "1"}, []int{2, 3}, Marks{Prev: "1", Next: "3"}},
		"the last behind a mark": {Page{Size: 2, Mark: "3"}, []int{4, 5}, Marks{Prev: "3"}},
		"behind the last mark":   {Page{Size: 2, Mark: "5"}, []int{}, Marks{Prev: "5"}},
		"back from a mark":       {Page{Size: 2, Mark: "4", Back: true}, []int{3, 4}, Marks{Prev: "2", Next: "4"}},
		"back to the start":      {Page{Size: 2, Mark: "2", Back: true}, []int{1, 2}, Marks{Next: "2"}},
		"back, less than a page": {Page{Size: 2, Mark: "1", Back: true}, []int{1}, Marks{Next: "1"}},
		"back, nothing is left":  {Page{Size: 2, Mark: "0", Back: true}, []int{}, Marks{Next: "0"}},
	} {
		got, marks := page(t, numbers(5), c.page)
		if diff := cmp.Diff(c.want, got); diff != "" || marks != c.marks {
			t.Errorf("%s: marks %+v, want %+v; results (-want +got):\n%s", name, marks, c.marks, diff)
		}
	}
}

// From whatever page the walk begins, forward to the end and back to the start meet each result exactly once.
func TestPagesMeetEveryResultOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := numbers(rapid.IntRange(1, 40).Draw(t, "results"))
		size := rapid.IntRange(1, 12).Draw(t, "size")
		first := Page{Size: size, Offset: size * rapid.IntRange(0, (len(list)-1)/size).Draw(t, "pages before")}
		start, marks := page(t, list, first)
		end, behind := slices.Clone(start), marks
		for behind.Next != "" {
			var more []int
			more, behind = page(t, list, Page{Size: size, Mark: behind.Next})
			end = append(end, more...)
		}
		if diff := cmp.Diff(list[first.Offset:], end); diff != "" {
			t.Fatalf("forward: %s", diff)
		}
		last := (len(end) - 1) / size * size
		all := slices.Clone(end[last:])
		for behind.Prev != "" {
			var more []int
			more, behind = page(t, list, Page{Size: size, Mark: behind.Prev, Back: true})
			all = append(more, all...)
		}
		if diff := cmp.Diff(list, all); diff != "" {
			t.Fatalf("back: %s", diff)
		}
	})
}
