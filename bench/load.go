package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// load is a closed loop: each connection sends a request, waits for the answer and sends the next. It speaks just enough
// HTTP/1.1 to cost the machine little beside the server that it measures. A load with a most runs only once.
type load struct {
	address     string
	connections int
	every       time.Duration // the least time between two requests of a connection
	most        int64         // how many requests are sent; 0 for as many as the time allows
	sender      func() sender // of a connection

	begun atomic.Int64 // requests, if there is a most
}

// sender writes the next request to an address into a buffer, and says how long its body is.
type sender func(request []byte, address string, r *rand.Rand) (filled []byte, body int)

// run sends for the given time and returns the results.
func (l *load) run(ctx context.Context, d time.Duration, seed uint64) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	results := make([]sample, l.connections)
	errs := make([]error, l.connections)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range l.connections {
		wg.Go(func() { results[i], errs[i] = l.connection(ctx, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	wg.Wait()
	total := sample{elapsed: time.Since(start)}
	for _, s := range results {
		total.accepted += s.accepted
		total.bytes += s.bytes
		total.latencies = append(total.latencies, s.latencies...)
	}
	slices.Sort(total.latencies)
	return total, errors.Join(errs...)
}

// sample is one measured stretch of time.
type sample struct {
	accepted  int64
	bytes     int64 // of bodies
	elapsed   time.Duration
	latencies []time.Duration // sorted
}

func (s sample) rate() float64 { return float64(s.accepted) / s.elapsed.Seconds() }

func (s sample) quantile(q float64) time.Duration {
	if len(s.latencies) == 0 {
		return 0
	}
	return s.latencies[int(q*float64(len(s.latencies)-1))]
}

// mayAnother counts another request, and reports whether it may be sent.
func (l *load) mayAnother() bool { return l.most == 0 || l.begun.Add(1) <= l.most }

func (l *load) connection(ctx context.Context, r *rand.Rand) (s sample, err error) {
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		return s, err
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 4096)
	send := l.sender()
	var request []byte
	var body int
	for next := time.Now(); ctx.Err() == nil && l.mayAnother(); next = next.Add(l.every) {
		if l.every > 0 && wait(ctx, time.Until(next)) != nil {
			break
		}
		request, body = send(request[:0], l.address, r)
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return s, err
		}
		status, err := readAnswer(reader)
		if err != nil {
			return s, err
		}
		if status/100 != 2 {
			return s, fmt.Errorf("a request returned %d", status)
		}
		s.accepted++
		s.bytes += int64(body)
		s.latencies = append(s.latencies, time.Since(began))
	}
	return s, nil
}

// readAnswer reads one answer with a Content-Length and returns its status.
func readAnswer(r *bufio.Reader) (status int, err error) {
	length := 0
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case first && len(line) >= 12:
			status, err = strconv.Atoi(string(line[9:12]))
		case len(line) == 0:
			_, err = io.CopyN(io.Discard, r, int64(length))
			return status, err
		case bytes.EqualFold(name, []byte("Content-Length")):
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
		if err != nil {
			return 0, err
		}
	}
}
