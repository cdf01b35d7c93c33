// Package bench measures a whole sett from outside. Each measurement loads a bare handler in the same run, because machines are shared and
// only ratios hold. It takes the sett binary, a database and a duration, and returns figures. Of sett it imports only reports to send: it starts servers as
// processes, speaks HTTP to them, and reads their CPU time from the system.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"time"
)

// Options say what is measured.
type Options struct {
	Executable  string        // the sett binary
	Floor       string        // a binary whose command floor serves a bare handler; see ServeFloor
	Data        string        // an empty directory for the embedded database
	Database    string        // "" or a postgres:// URL of an empty database
	KeyFile     string        // secret key file of that database, which all its servers need
	Token       string        // of a user who may create projects
	Duration    time.Duration // of each stretch on sett; the floor gets half
	Rounds      int
	Connections int
	Protocol    string    // of Intake
	Errors      io.Writer // where the servers' logs go
}

// Result is what was measured. Rates are medians over the rounds.
type Result struct {
	FloorRate, Rate float64       // accepted requests a second
	Ratio           float64       // Rate ÷ FloorRate
	FloorCPU, CPU   time.Duration // of the server, a request
	P50, P99        time.Duration
	Accepted        int64
	BodyBytes       int64 // sent, on average a request
	Memory          int64 // greatest resident set of the server, bytes

	OtherRate float64       // in the other protocol, if there is one
	OtherCPU  time.Duration // of the server, a request
	OtherSize int64         // bytes of a body on average
}

// beside runs a bare net/http handler and sett, and loads them turn by turn with what prepare has made on sett.
func beside(ctx context.Context, o Options, prepare func(context.Context, manager) ([]func() sender, error)) (res Result, err error) {
	floorAddress, settAddress, err := freeAddresses()
	if err != nil {
		return res, err
	}
	floor, err := startProcess(ctx, floorAddress, "/", o.Errors, nil, o.Floor, "floor", "--listen", floorAddress)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, ended(floor.stop())) }()
	server, err := startProcess(ctx, settAddress, "/readyz", o.Errors,
		[]string{"SETT_DATABASE=" + o.Database, "SETT_API_RATE_LIMIT=0", "SETT_STATUS_RATE_LIMIT=1000000000"},
		o.Executable, "serve", "--listen", settAddress, "--data", o.Data, "--log-level", "warn")
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, ended(server.stop())) }()
	send, err := prepare(ctx, manager{"http://" + settAddress, o.Token})
	if err != nil {
		return res, err
	}
	return measure(ctx, o, send, floor, server)
}

// measure runs the rounds. The second sender, if there is one, takes turns with the first.
func measure(ctx context.Context, o Options, send []func() sender, floor, server *process) (res Result, err error) {
	var floorRates, rates, otherRates []float64
	var floorCPU, cpu, otherCPU, p50, p99 []time.Duration
	type turn struct {
		process  *process
		sender   func() sender
		duration time.Duration
		rates    *[]float64
		cpu      *[]time.Duration
	}
	turns := []turn{{floor, send[0], o.Duration / 2, &floorRates, &floorCPU}, {server, send[0], o.Duration, &rates, &cpu}}
	if len(send) > 1 {
		turns = append(turns, turn{server, send[1], o.Duration, &otherRates, &otherCPU})
	}
	for round := range o.Rounds {
		for i, turn := range turns {
			l := &load{connections: o.Connections, sender: turn.sender, address: turn.process.address}
			before := turn.process.cpu()
			s, err := l.run(ctx, turn.duration, uint64(round))
			if err != nil {
				return res, err
			}
			*turn.rates = append(*turn.rates, s.rate())
			*turn.cpu = append(*turn.cpu, (turn.process.cpu()-before)/time.Duration(max(s.accepted, 1)))
			if i == 2 {
				res.OtherSize = s.bytes / max(s.accepted, 1)
			}
			if i == 1 {
				p50, p99 = append(p50, s.quantile(0.5)), append(p99, s.quantile(0.99))
				res.Accepted += s.accepted
				res.BodyBytes += s.bytes
			}
		}
	}
	res.FloorRate, res.Rate = median(floorRates), median(rates)
	res.FloorCPU, res.CPU = median(floorCPU), median(cpu)
	res.P50, res.P99 = median(p50), median(p99)
	res.Ratio = res.Rate / res.FloorRate
	if len(send) > 1 {
		res.OtherRate, res.OtherCPU = median(otherRates), median(otherCPU)
	}
	res.BodyBytes /= max(res.Accepted, 1)
	res.Memory = server.memory()
	return res, nil
}

func median[T float64 | time.Duration](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}

// ended forgives a server for dying of the signal that it was sent.
func ended(err error) error {
	if err != nil && err.Error() == "signal: terminated" {
		return nil
	}
	return err
}

// freeAddresses returns two free loopback addresses.
func freeAddresses() (a, b string, err error) {
	if a, err = freeAddress(); err == nil {
		b, err = freeAddress()
	}
	return a, b, err
}

// The ports that freeAddress chooses from: the system gives none of them to connections, which would take one before a server does.
const (
	firstPort = 20_000
	ports     = 10_000
)

// freeAddress returns a free loopback address.
func freeAddress() (string, error) {
	var failed error
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(ports)))
		if err == nil {
			return l.Addr().String(), l.Close()
		}
		failed = err
	}
	return "", failed
}
