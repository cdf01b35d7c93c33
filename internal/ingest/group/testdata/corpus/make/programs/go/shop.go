// Command shop is a shop. It runs the case that is named by its first argument and panics, or prints the error of the case with its place.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

// NEW RELEASE

type Declined struct{ Order string }

func (d *Declined) Error() string { return "order " + d.Order + " was declined" }

type Cart struct{ Items map[string]*Item }
type Item struct{ Price int }

func (c *Cart) Total(sku string) int  { return c.Items[sku].Price }
func (c *Cart) Refund(sku string) int { return c.Items[sku].Price }
func (c Cart) Value(sku string) *Item { return c.Items[sku] }
func (c *Cart) Add(sku string)        { c.Items[sku] = nil }
func Map[T, U any](l []T, f func(T) U) (out []U) {
	for _, x := range l {
		out = append(out, f(x))
	}
	return out
}

// NEW LINES

func first(l []int) int  { return l[0] }
func second(l []int) int { return l[1] }
func ratio(a, b int) int { return a / b }
func share(a, b int) int { return a / b }
func must(err error) {
	if err != nil {
		panic(err)
	}
}
func number(s string) int { n, err := strconv.Atoi(s); must(err); return n }
func rates(s string)      { var v map[string]int; must(json.Unmarshal([]byte(s), &v)) }
func users(s string)      { var v map[string]int; must(json.Unmarshal([]byte(s), &v)) }
func deep(n int) int {
	if n == 0 {
		panic("bottom")
	}
	return deep(n-1) + 1
}
func kind(v any) int    { return v.(int) }
func text(v any) string { return v.(string) }
func closed(c chan int) { close(c); close(c) }
func ship(country string, items int) {
	if country == "nowhere" {
		panic("cannot ship")
	}
	if items == 0 {
		panic("cannot ship")
	}
}
func each(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

var nothing *Cart

var cases = map[string]func() error{
	"total":    func() error { (&Cart{}).Total("A-1"); return nil },
	"refund":   func() error { (&Cart{}).Refund("A-1"); return nil },
	"add":      func() error { (&Cart{}).Add("A-1"); return nil },
	"value":    func() error { nothing.Value("A-1"); return nil },
	"first":    func() error { first(nil); return nil },
	"first3":   func() error { defer func() { panic(recover()) }(); first([]int{}); return nil },
	"second":   func() error { second([]int{1}); return nil },
	"second0":  func() error { second(nil); return nil },
	"ratio":    func() error { ratio(1, 0); return nil },
	"share":    func() error { share(1, 0); return nil },
	"number":   func() error { number("x"); return nil },
	"number2":  func() error { number("1,5"); return nil },
	"rates":    func() error { rates("{"); return nil },
	"rates2":   func() error { rates("[]"); return nil },
	"users":    func() error { users("{"); return nil },
	"users2":   func() error { users("oops"); return nil },
	"deep1":    func() error { deep(1); return nil },
	"deep6":    func() error { deep(6); return nil },
	"deep30":   func() error { deep(30); return nil },
	"kind":     func() error { kind("a"); return nil },
	"kind2":    func() error { kind(1.5); return nil },
	"text":     func() error { text(1); return nil },
	"text2":    func() error { text(nil); return nil },
	"closed":   func() error { closed(make(chan int)); return nil },
	"nowhere":  func() error { ship("nowhere", 1); return nil },
	"noitems":  func() error { ship("here", 0); return nil },
	"closure":  func() error { each(1, func(int) { panic("first closure") }); return nil },
	"closure2": func() error { each(1, func(int) { panic("second closure") }); return nil },
	"generic":  func() error { Map([]int{1}, func(int) string { panic("no text") }); return nil },
	"generic2": func() error { Map([]string{""}, func(string) int { panic("no number") }); return nil },
	"goroutine": func() error {
		var all sync.WaitGroup
		all.Go(func() { first(nil) })
		all.Wait()
		return nil
	},
	"goroutine2": func() error {
		var all sync.WaitGroup
		all.Go(func() { second(nil) })
		all.Wait()
		return nil
	},
}

// returned are errors that are reported where a handler has them; the client adds the place of the report.
var returned = map[string]func() error{
	"declined":  func() error { return &Declined{"A-17"} },
	"declined2": func() error { return &Declined{"B-99"} },
	"wrapped":   func() error { return fmt.Errorf("pay order %s: %w", "A-17", &Declined{"A-17"}) },
	"wrapped2":  func() error { return fmt.Errorf("pay order %s: %w", "B-99", &Declined{"B-99"}) },
	"opened":    func() error { _, err := os.Open("/nowhere/a.json"); return fmt.Errorf("load rates: %w", err) },
	"opened2":   func() error { _, err := os.Open("/nowhere/b.json"); return fmt.Errorf("load rates: %w", err) },
	"dialled":   func() error { _, err := net.Dial("tcp", "127.0.0.1:9"); return fmt.Errorf("load rates: %w", err) },
	"dialled2":  func() error { _, err := net.Dial("tcp", "127.0.0.1:7"); return fmt.Errorf("load rates: %w", err) },
	"deadline": func() error {
		c, stop := context.WithTimeout(context.Background(), time.Nanosecond)
		defer stop()
		<-c.Done()
		return fmt.Errorf("load rates: %w", c.Err())
	},
	"joined":  func() error { return errors.Join(&Declined{"A-17"}, errors.New("mail was not sent")) },
	"joined2": func() error { return errors.Join(&Declined{"B-99"}, errors.New("mail was not sent")) },
	"joined3": func() error {
		return errors.Join(errors.New("template footer.tmpl not found"), errors.New("mail was not sent"))
	},
	"text":  func() error { return errors.New("card declined by bank") },
	"other": func() error { return errors.New("template footer.tmpl not found") },
}

func report(err error) { // as a logger or a handler does
	type link struct{ Type, Text string }
	var chain []link
	for e := err; e != nil; e = errors.Unwrap(e) {
		chain = append(chain, link{fmt.Sprintf("%T", e), e.Error()})
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			chain = append(chain, link{fmt.Sprintf("%T", e), e.Error()})
		}
	}
	out, _ := json.Marshal(map[string]any{"chain": chain, "stack": string(debug.Stack())})
	fmt.Println(string(out))
}

func main() {
	if f := returned[os.Args[2]]; os.Args[1] == "returned" {
		report(f())
		return
	}
	cases[os.Args[2]]()
}
